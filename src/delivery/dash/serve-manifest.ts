import type { Publication, StoredRendition } from '../../catalog/publications/publication.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { DashAudio, DashPresentation, DashRendition, DashVideo } from '../../media/dash/dash-presentation.ts';
import { readSampleAspect } from '../../media/dash/sample-aspect.ts';
import { writeMpd } from '../../media/dash/write-mpd.ts';
import { chooseListedSet, type ListedSet } from '../../media/playlists/listed-set.ts';
import { computeSegmentRun } from '../../media/playlists/segment-run.ts';
import type { HeldCache } from '../cache/held-cache.ts';
import { type Answer, CACHE_SHORTLY, notFound } from '../http/answer.ts';

type WithInit = StoredRendition & { init: Buffer; codecString: string };

/** Answers the DASH manifest, over the same segments as HLS, once every listed rendition is whole. */
export async function serveManifest(publication: Publication, written: HeldCache<Buffer>): Promise<Answer> {
  const { libraryId, mediaId } = publication;
  const presentation = describe(chooseListedSet(publication.renditions));
  if (presentation === null) return notFound('not-whole', 'The video is not whole yet; its HLS playlist may be.');
  const key = `manifest|${libraryId}|${mediaId}|${publication.publication}`;
  return {
    kind: 'bytes',
    bytes: await written.get(key, () => Buffer.from(writeMpd(presentation()))),
    contentType: 'application/dash+xml',
    cacheControl: CACHE_SHORTLY,
    etag: `"d${publication.publication}"`,
  };
}

/** Null while something is still to come. The work itself is put off until nobody has written the manifest yet. */
function describe({ video, audio, isPlayable }: ListedSet<StoredRendition>): (() => DashPresentation) | null {
  const [pictures, sounds] = [video.filter(isWhole), audio.filter(isWhole)];
  if (!isPlayable || pictures.length < video.length || sounds.length < audio.length) return null;
  return () => ({ video: pictures.map(describeVideo), audio: sounds.map(describeAudio) });
}

/** Nothing of it is still to come, or all of that is known beforehand and made on demand. */
function isWhole(rendition: StoredRendition): rendition is WithInit {
  const isListed = rendition.isOnDemand && rendition.planned !== null;
  return (rendition.state === 'finished' || isListed) && rendition.init !== null && rendition.codecString !== null;
}

function describeVideo(rendition: WithInit): DashVideo {
  const { widthPx, heightPx } = readInitSegment(rendition.init);
  const { grid } = rendition.cutList;
  if (widthPx === null) throw new Error(`Expected the init of a video rendition in ${rendition.id}.`);
  return {
    ...describeSegments(rendition),
    widthPx,
    heightPx,
    frameRate: grid.kind === 'frames' ? grid.rate : null,
    sampleAspect: readSampleAspect(rendition.init),
  };
}

function describeAudio(rendition: WithInit): DashAudio {
  const { channels, sampleRateHz } = readInitSegment(rendition.init);
  if (channels === null) throw new Error(`Expected the init of an audio rendition in ${rendition.id}.`);
  const { language, name, isDefault } = rendition;
  return { ...describeSegments(rendition), language, name, isDefault, channels, sampleRateHz };
}

function describeSegments(rendition: WithInit): DashRendition {
  const run = computeSegmentRun(rendition);
  const [startTick = 0, ...ends] = run.boundaryTicks;
  return {
    id: rendition.id,
    codecString: rendition.codecString,
    timescale: run.timescale,
    firstSegment: 0,
    startTick,
    segmentDurationsTicks: ends.map((end, segment) => end - (run.boundaryTicks[segment] ?? 0)),
    segmentSizesBytes: [...run.sizeBytes],
    contentProtection: [],
  };
}
