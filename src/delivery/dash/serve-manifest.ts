import type { DrmPackage } from '../../catalog/drm/drm-package.ts';
import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { escapeXml } from '../../lib/escape-xml.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { DashAudio, DashPresentation, DashRendition, DashVideo } from '../../media/dash/dash-presentation.ts';
import { readSampleAspect } from '../../media/dash/sample-aspect.ts';
import { writeMpd } from '../../media/dash/write-mpd.ts';
import { bytesAddedBy } from '../../media/drm/encryption/added-bytes.ts';
import { writeContentProtection } from '../../media/drm/signalling/signalling.ts';
import { writeSystemProtection } from '../../media/drm/signalling/system-signals.ts';
import { chooseListedSet, type ListedSet } from '../../media/presentation/listed-set.ts';
import { type AddedBytes, computeSegmentRun, NOTHING_ADDED } from '../../media/presentation/segment-run.ts';
import { rateOfNumber } from '../../media/probe/frame-rate.ts';
import type { Rational } from '../../media/probe/source-facts.ts';
import type { ContentKeys, KeyGroup } from '../../ports/drm-key-source.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import type { PackageKeys } from '../drm/package-keys.ts';
import { listableRenditions, protectionOf } from '../drm/protection.ts';
import { packageFolder } from '../hls/playlist-variant.ts';
import { type Answer, CACHE_NEVER, CACHE_NOTHING, CACHE_SHORTLY, notFound } from '../http/answer.ts';

type WithInit = StoredRendition & { init: Buffer; codecString: string };

/** `licenceUrl` is the complete URL from which this viewer's player requests keys. */
export type ManifestRequest = { licenceUrl: string };
type ManifestDeps = { written: HeldCache<Buffer>; keys: PackageKeys };

/** Placeholder in cached manifests for the licence URL, which contains the viewer's token. */
const LICENCE_GAP = 'urn:millrace:licence';

/** Serves the DASH manifest once every listed rendition is complete. It lists the same segments as HLS. */
export async function serveManifest(
  publication: Publication,
  { licenceUrl }: ManifestRequest,
  { written, keys }: ManifestDeps,
): Promise<Answer> {
  const { libraryId, mediaId, policyRevision } = publication;
  const protection = await chooseProtection(publication, keys);
  if (protection === null) return HLS_ONLY;
  const way = { protection, frameRate: rateOfNumber(publication.frameRate) };
  const presentation = describe(chooseListedSet(listableRenditions(publication)), way);
  if (presentation === null) return notFound('not-whole');
  const version = `d${publication.revision}.${policyRevision}${protection.tag}`;
  const key = `manifest|${libraryId}|${mediaId}|${version}`;
  const text = await written.get(key, () => Buffer.from(writeMpd(presentation())));
  return answerManifest(text, { protection, licenceUrl, etag: `"${version}"` });
}

type Written = { protection: ManifestProtection; licenceUrl: string; etag: string | null };

/** Returns the response with a manifest. Without an `etag`, it is never cached. */
export function answerManifest(text: Buffer, { protection, licenceUrl, etag }: Written): Answer {
  const { namesLicences } = protection;
  return {
    kind: 'bytes',
    bytes: namesLicences ? Buffer.from(text.toString().replaceAll(LICENCE_GAP, () => escapeXml(licenceUrl))) : text,
    contentType: 'application/dash+xml',
    // A manifest with a viewer's own licence URL, which includes a token, must not be shared.
    cacheControl: namesLicences ? CACHE_NOTHING : etag === null ? CACHE_NEVER : CACHE_SHORTLY,
    etag: namesLicences ? null : etag,
  };
}

export const HLS_ONLY = notFound('hls-only');

/**
 * Returns the protection of the segments in the manifest, or null if a manifest cannot list protected segments of this
 * kind.
 */
export async function chooseProtection(
  publication: Publication,
  keys: PackageKeys,
): Promise<ManifestProtection | null> {
  const protection = protectionOf(publication);
  switch (protection.kind) {
    case 'none':
      return CLEAR;
    case 'sessions':
      return null;
    case 'package':
      return manifestProtection(protection.packaged, await keys.keysOf(publication, protection.packaged));
  }
}

/** Protection of the segments that a manifest lists. */
export type ManifestProtection = {
  tag: string;
  /** Whether the manifest contains the viewer's licence URL. */
  namesLicences: boolean;
  segmentFolder: string;
  added(kind: StoredRendition['kind']): AddedBytes;
  contentProtection(group: KeyGroup): string[];
};

const CLEAR: ManifestProtection = {
  tag: '',
  namesLicences: false,
  segmentFolder: '',
  added: () => NOTHING_ADDED,
  contentProtection: () => [],
};

function manifestProtection({ number, signals }: DrmPackage, { scheme, groups }: ContentKeys): ManifestProtection {
  return {
    tag: `-e${number}`,
    namesLicences: signals.length === 0,
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

/**
 * Describes the manifest for the writer. Returns null if a rendition is not complete yet. Only called after a cache
 * miss.
 */
function describe(
  { video, audio, isPlayable }: ListedSet<StoredRendition>,
  way: { protection: ManifestProtection; frameRate: Rational | null },
): (() => DashPresentation) | null {
  const [videoRenditions, audioTracks] = [video.filter(isWhole), audio.filter(isWhole)];
  if (!isPlayable || videoRenditions.length < video.length || audioTracks.length < audio.length) return null;
  return () => ({
    video: videoRenditions.map((rendition) => describeVideo(rendition, way)),
    audio: audioTracks.map((rendition) => describeAudio(rendition, way.protection)),
  });
}

/** Returns whether every segment is stored, or all are planned and encoded on demand. */
function isWhole(rendition: StoredRendition): rendition is WithInit {
  const isListed = rendition.isOnDemand && rendition.planned !== null;
  return (rendition.state === 'finished' || isListed) && rendition.init !== null && rendition.codecString !== null;
}

/** Describes a video rendition. The frame rate of a pass-through rendition is the average of its source. */
function describeVideo(
  rendition: WithInit,
  { protection, frameRate }: { protection: ManifestProtection; frameRate: Rational | null },
): DashVideo {
  const { widthPx, heightPx, colours } = readInitSegment(rendition.init);
  const { grid } = rendition.cutList;
  if (widthPx === null) throw new Error(`Expected a video init segment of ${rendition.id}, got one without a width.`);
  return {
    ...describeSegments(rendition, protection),
    widthPx,
    heightPx,
    frameRate: grid.kind === 'frames' ? grid.rate : frameRate,
    sampleAspect: readSampleAspect(rendition.init),
    colours,
  };
}

function describeAudio(rendition: WithInit, protection: ManifestProtection): DashAudio {
  const { channels, sampleRateHz } = readInitSegment(rendition.init);
  if (channels === null)
    throw new Error(`Expected rendition ${rendition.id} to have an audio init segment, got one without channels.`);
  const { language, name, role = 'main', isDefault } = rendition;
  const described = { language, name, isDefault, channels, sampleRateHz, ...(role !== 'main' && { role }) };
  return { ...describeSegments(rendition, protection), ...described };
}

function describeSegments(rendition: WithInit, protection: ManifestProtection): DashRendition {
  const run = computeSegmentRun(rendition, protection.added(rendition.kind));
  const [startTick = 0, ...ends] = run.boundaryTicks;
  return {
    id: rendition.id,
    codecString: rendition.codecString,
    timescale: run.timescale,
    firstSegment: 0,
    startTick,
    segmentDurationsTicks: ends.map((end, segment) => end - (run.boundaryTicks[segment] ?? 0)),
    segmentSizesBytes: [...run.sizeBytes],
    segmentFolder: protection.segmentFolder,
    contentProtection: protection.contentProtection(rendition.keyGroup),
  };
}
