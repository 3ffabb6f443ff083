import type { Publication } from '../../catalog/publications/publication.ts';
import { timeOfGuid } from '../../lib/guid.ts';
import { readInitSegment } from '../../media/cmaf/init-segment.ts';
import type { DashPeriod, DashRendition } from '../../media/dash/dash-presentation.ts';
import { readSampleAspect } from '../../media/dash/sample-aspect.ts';
import { writePeriods } from '../../media/dash/write-mpd.ts';
import {
  type IndexedPeriod,
  type IndexedRendition,
  type IndexedSegment,
  isRung,
} from '../../media/live/playlist/live-index.ts';
import { type LiveView, listSlot, targetDurationSec } from '../../media/live/playlist/slot-segments.ts';
import { rateOfNumber } from '../../media/probe/frame-rate.ts';
import { answerManifest, chooseProtection, HLS_ONLY, type ManifestProtection } from '../dash/serve-manifest.ts';
import type { PackageKeys } from '../drm/package-keys.ts';
import { type Answer, notFound } from '../http/answer.ts';
import type { WatchedStream } from './watched-stream.ts';

type Requested = { publication: Publication; view: LiveView; hasEnded: boolean; licenceUrl: string };

/** Delay of players behind the newest segment, in segments. HLS without parts uses the same delay. */
const DELAY_SEGMENTS = 3;
/**
 * Delay in seconds between the first media of a growing stream and the start of its Period. Audio begins up to a frame
 * later than video. Without this delay, a player that seeks to the start of the Period would find no audio there, and
 * dash.js 5 does not skip a gap at the start.
 */
const LEAD_SEC = 0.05;

/**
 * Serves the DASH manifest of a stream with the segments that its HLS playlists list. It is dynamic while the stream
 * runs, and static with all Periods after the end. A Period omits a rung that lacks one of its segments.
 */
export async function serveLiveManifest(
  stream: WatchedStream,
  { publication, view, hasEnded, licenceUrl }: Requested,
  keys: PackageKeys,
): Promise<Answer> {
  const protection = await chooseProtection(publication, keys);
  if (protection === null) return HLS_ONLY;
  const originMs = stream.originMs ?? timeOfGuid(publication.mediaId)?.getTime() ?? 0;
  const shown = listPeriods(stream, view);
  let endSec = 0;
  const periods = shown.flatMap(({ period, slots }): DashPeriod[] => {
    const leadSec = hasEnded ? 0 : LEAD_SEC;
    const described = describePeriod({ period, slots, leadSec }, protection);
    if (described === null) return [];
    // A Period of a growing stream starts at its capture time. A complete one starts at the end of the previous Period.
    const startSec = hasEnded ? endSec : (stream.periodStartMs(period) - originMs) / 1000 + leadSec;
    endSec += described.lengthSec;
    return [{ ...described, startSec }];
  });
  if (periods.length === 0) return notFound('not-playable');
  const slots = shown.flatMap((one) => [...one.slots.keys()]);
  const targetSec = Math.max(...slots.map((slot) => targetDurationSec(stream.index, slot, view)));
  const growth = {
    availabilityStartMs: originMs,
    publishedMs: Date.now(),
    windowSec: view.windowSec,
    delaySec: DELAY_SEGMENTS * targetSec,
    updateSec: targetSec,
  };
  const text = Buffer.from(writePeriods(periods, hasEnded ? null : growth));
  return answerManifest(text, { protection, licenceUrl, etag: null });
}

type Listed = ReturnType<typeof listSlot>;
type ShownPeriod = { period: IndexedPeriod; slots: Map<string, Listed> };

/** Returns the visible periods, each with its segments by slot. */
function listPeriods({ index }: WatchedStream, view: LiveView): ShownPeriod[] {
  const slots = new Set(index.periods.flatMap(({ renditions }) => renditions.map(({ slot }) => slot)));
  const lists = new Map([...slots].map((slot) => [slot, listSlot(index, slot, view)]));
  return index.periods.flatMap((period) => {
    const own = [...lists].map(([slot, list]) => [slot, list.filter((one) => one.period === period)] as const);
    const found = own.filter(([, list]) => list.length > 0);
    return found.length === 0 ? [] : [{ period, slots: new Map(found) }];
  });
}

function describePeriod({ period, slots, leadSec }: ShownPeriod & { leadSec: number }, protection: ManifestProtection) {
  const runs = period.renditions.flatMap((rendition) => {
    const run = wholeRun(slots.get(rendition.slot)?.filter((one) => one.rendition === rendition) ?? []);
    return run.length === 0 || rendition.init.length === 0 ? [] : [{ rendition, run }];
  });
  const main = runs.find(({ rendition }) => rendition.slot === 'source') ?? runs[0];
  if (main === undefined) return null;
  const isWhole = ({ rendition, run }: (typeof runs)[number]) =>
    !isRung(rendition.slot) || (run[0]?.number === main.run[0]?.number && run.length === main.run.length);
  const described = runs.filter(isWhole).map(({ rendition, run }) => ({
    rendition,
    listed: beginAt(describeSegments(rendition, run, protection), Math.round(leadSec * rendition.timescale)),
  }));
  const last = main.run.at(-1);
  const lengthSec = ((last?.startTick ?? 0) + (last?.durationTicks ?? 0)) / main.rendition.timescale;
  return {
    id: `${period.number}`,
    lengthSec,
    video: described.flatMap(({ rendition, listed }) =>
      rendition.kind === 'video' ? [describeVideo(rendition, listed, period.frameRate)] : [],
    ),
    audio: described.flatMap(({ rendition, listed }) =>
      rendition.kind === 'audio' ? [describeAudio(rendition, listed)] : [],
    ),
  };
}

/** Returns the newest consecutive closed segments without a gap. */
function wholeRun(listed: Listed): IndexedSegment[] {
  const run: IndexedSegment[] = [];
  for (const { segment } of listed.toReversed()) {
    if (segment?.isClosed === false && run.length === 0) continue;
    const next = run[0];
    if (segment === null || !segment.isClosed || segment.durationTicks <= 0) break;
    if (next !== undefined && next.number !== segment.number + 1) break;
    run.unshift(segment);
  }
  return run;
}

function describeSegments(
  rendition: IndexedRendition,
  run: readonly IndexedSegment[],
  protection: ManifestProtection,
): DashRendition {
  // A gap in the audio extends the segment before it.
  const durations = run.map(
    ({ startTick, durationTicks }, index) => (run[index + 1]?.startTick ?? startTick + durationTicks) - startTick,
  );
  return {
    id: rendition.id,
    codecString: rendition.codecString,
    timescale: rendition.timescale,
    firstSegment: run[0]?.number ?? 0,
    startTick: run[0]?.startTick ?? 0,
    segmentDurationsTicks: durations,
    segmentSizesBytes: run.map(sizeOf),
    segmentFolder: protection.segmentFolder,
    contentProtection: protection.contentProtection(rendition.keyGroup),
  };
}

/**
 * Sets the media time at which the Period starts. Segments that begin earlier are listed as beginning at this time,
 * because players seek to the start of the first segment.
 */
function beginAt(listed: DashRendition, offsetTicks: number): DashRendition {
  const { startTick, segmentDurationsTicks } = listed;
  const [firstTicks = 0, ...others] = segmentDurationsTicks;
  const cutTicks = Math.max(0, offsetTicks - startTick);
  if (cutTicks >= firstTicks) return { ...listed, offsetTicks };
  return {
    ...listed,
    offsetTicks,
    startTick: startTick + cutTicks,
    segmentDurationsTicks: [firstTicks - cutTicks, ...others],
  };
}

function sizeOf({ stored, parts }: IndexedSegment): number {
  return stored?.sizeBytes ?? parts.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
}

function describeVideo({ init }: IndexedRendition, listed: DashRendition, frameRate: number) {
  const { widthPx, heightPx, colours } = readInitSegment(init);
  return {
    ...listed,
    widthPx: widthPx ?? 0,
    heightPx: heightPx ?? 0,
    frameRate: rateOfNumber(frameRate),
    sampleAspect: readSampleAspect(init),
    colours,
  };
}

function describeAudio({ init }: IndexedRendition, listed: DashRendition) {
  const { channels, sampleRateHz } = readInitSegment(init);
  const audio = { channels: channels ?? 2, sampleRateHz: sampleRateHz ?? listed.timescale };
  return { ...listed, ...audio, language: 'und', name: '', isDefault: true };
}
