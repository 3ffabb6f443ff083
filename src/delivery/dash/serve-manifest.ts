import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { DashAudio, DashPresentation, DashRendition, DashVideo } from '../../media/dash/dash-presentation.ts';
import { readSampleAspect } from '../../media/dash/sample-aspect.ts';
import { writeMpd } from '../../media/dash/write-mpd.ts';
import { bytesAddedBy } from '../../media/drm/added-bytes.ts';
import { writeContentProtection } from '../../media/drm/signalling.ts';
import { writeSystemProtection } from '../../media/drm/system-signals.ts';
import { escapeXml } from '../../media/drm/xml.ts';
import { chooseListedSet, type ListedSet } from '../../media/presentation/listed-set.ts';
import { type AddedBytes, computeSegmentRun, NOTHING_ADDED } from '../../media/presentation/segment-run.ts';
import type { ContentKeys, KeyGroup } from '../../ports/drm-key-source.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import type { PackageKeys } from '../drm/package-keys.ts';
import { listableRenditions, protectionOf } from '../drm/protection.ts';
import { packageFolder } from '../hls/playlist-variant.ts';
import { type Answer, CACHE_NOTHING, CACHE_SHORTLY, notFound } from '../http/answer.ts';

type WithInit = StoredRendition & { init: Buffer; codecString: string };

/** `licenceUrl` is the whole address at which this viewer's player asks for keys. */
export type ManifestRequest = { licenceUrl: string };
type ManifestDeps = { written: HeldCache<Buffer>; keys: PackageKeys };

/** Stands in kept manifests for the address of licences, which holds each viewer's token. */
const LICENCE_GAP = 'urn:millrace:licence';

/** Answers the DASH manifest, over the same segments as HLS, once every listed rendition is whole. */
export async function serveManifest(
  publication: Publication,
  { licenceUrl }: ManifestRequest,
  { written, keys }: ManifestDeps,
): Promise<Answer> {
  const { libraryId, mediaId } = publication;
  const protection = protectionOf(publication);
  if (protection.kind === 'sessions') return notFound('hls-only');
  const packaged = protection.kind === 'package' ? protection.packaged : null;
  const cover = packaged === null ? CLEAR : coverOf(packaged, await keys.keysOf(publication, packaged));
  const presentation = describe(chooseListedSet(listableRenditions(publication)), cover);
  if (presentation === null) return notFound('not-whole');
  const key = `manifest|${libraryId}|${mediaId}|${publication.publication}${cover.tag}`;
  const text = await written.get(key, () => Buffer.from(writeMpd(presentation())));
  const isOwn = packaged !== null && packaged.signals.length === 0;
  return {
    kind: 'bytes',
    bytes: isOwn ? Buffer.from(text.toString().replaceAll(LICENCE_GAP, () => escapeXml(licenceUrl))) : text,
    contentType: 'application/dash+xml',
    // With a viewer's own address of licences, token included, it is nobody else's.
    cacheControl: isOwn ? CACHE_NOTHING : CACHE_SHORTLY,
    etag: isOwn ? null : `"d${publication.publication}${cover.tag}"`,
  };
}

/** How a manifest's segments are given out. */
type ManifestCover = {
  tag: string;
  segmentFolder: string;
  added(kind: StoredRendition['kind']): AddedBytes;
  contentProtection(group: KeyGroup): string[];
};

const CLEAR: ManifestCover = { tag: '', segmentFolder: '', added: () => NOTHING_ADDED, contentProtection: () => [] };

function coverOf({ number, signals }: DrmPackage, { scheme, groups }: ContentKeys): ManifestCover {
  return {
    tag: `-e${number}`,
    segmentFolder: packageFolder(number),
    added: (kind) => bytesAddedBy(scheme, kind),
    contentProtection: (group) => {
      const key = { scheme, kid: groups[group].kid };
      if (signals.length === 0) return writeContentProtection(key, [{ name: 'clearKey', licenceUrl: LICENCE_GAP }]);
      return writeSystemProtection(
        key,
        signals.filter((signal) => signal.group === group),
      );
    },
  };
}

/** Null while something is still to come. The encode task itself is put off until nobody has written the manifest yet. */
function describe(
  { video, audio, isPlayable }: ListedSet<StoredRendition>,
  cover: ManifestCover,
): (() => DashPresentation) | null {
  const [pictures, sounds] = [video.filter(isWhole), audio.filter(isWhole)];
  if (!isPlayable || pictures.length < video.length || sounds.length < audio.length) return null;
  return () => ({
    video: pictures.map((rendition) => describeVideo(rendition, cover)),
    audio: sounds.map((rendition) => describeAudio(rendition, cover)),
  });
}

/** Nothing of it is still to come, or all of that is known beforehand and made on demand. */
function isWhole(rendition: StoredRendition): rendition is WithInit {
  const isListed = rendition.isOnDemand && rendition.planned !== null;
  return (rendition.state === 'finished' || isListed) && rendition.init !== null && rendition.codecString !== null;
}

function describeVideo(rendition: WithInit, cover: ManifestCover): DashVideo {
  const { widthPx, heightPx } = readInitSegment(rendition.init);
  const { grid } = rendition.cutList;
  if (widthPx === null) throw new Error(`Expected the init of a video rendition in ${rendition.id}.`);
  return {
    ...describeSegments(rendition, cover),
    widthPx,
    heightPx,
    frameRate: grid.kind === 'frames' ? grid.rate : null,
    sampleAspect: readSampleAspect(rendition.init),
  };
}

function describeAudio(rendition: WithInit, cover: ManifestCover): DashAudio {
  const { channels, sampleRateHz } = readInitSegment(rendition.init);
  if (channels === null) throw new Error(`Expected the init of an audio rendition in ${rendition.id}.`);
  const { language, name, isDefault } = rendition;
  return { ...describeSegments(rendition, cover), language, name, isDefault, channels, sampleRateHz };
}

function describeSegments(rendition: WithInit, cover: ManifestCover): DashRendition {
  const run = computeSegmentRun(rendition, cover.added(rendition.kind));
  const [startTick = 0, ...ends] = run.boundaryTicks;
  return {
    id: rendition.id,
    codecString: rendition.codecString,
    timescale: run.timescale,
    firstSegment: 0,
    startTick,
    segmentDurationsTicks: ends.map((end, segment) => end - (run.boundaryTicks[segment] ?? 0)),
    segmentSizesBytes: [...run.sizeBytes],
    segmentFolder: cover.segmentFolder,
    contentProtection: cover.contentProtection(rendition.keyGroup),
  };
}
