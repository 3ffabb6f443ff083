import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { loadRecordedView, type RecordedView } from '../../catalog/live/recording/recorded-view-store.ts';
import type { EncodeTask } from '../../catalog/tasks/encode-task.ts';
import { createVideoSegmenter } from '../../media/cmaf/segmenter.ts';
import { copySegment } from '../../media/compose/copy-segment.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { planEncode } from '../../media/encode/encode.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { blankSegment, makeBlank } from '../../media/live/publishing/run-blank.ts';
import { BT709, coloursOf, isShownByAll } from '../../media/probe/colours.ts';
import { probeSource } from '../../media/probe/run-probe.ts';
import type { VideoFacts } from '../../media/probe/source-facts.ts';
import { type CutList, segmentStartTicks } from '../../media/timeline/cut-list.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { readSourceSegment, sourceGone } from './copy-source-segment.ts';
import { encodeBlank } from './encode-blank.ts';
import { collect, type RungOutput, rungOf, storeRung } from './encode-rungs.ts';
import { publishChunks } from './publish-chunks.ts';
import { endReading } from './read-encoded-video.ts';
import type { LocalSource } from './source-cache.ts';
import { type ChunkWriter, createChunkWriter, discardAfter } from './store-chunk.ts';

const NICENESS = 10;
/**
 * Assumed bitrate in bits per second, the mean of many published segments. It is only used to estimate the required
 * disk space.
 */
const GUESSED_BPS = 8_000_000;

/**
 * Encodes a range of segments of a live recording from its published video, because a recording has no original. The
 * input consists of the stored segments of the range, with times that start at 0. A period without video gets black
 * video. The renditions of an MP4 file are encoded in the same way, from one period after another.
 */
export async function encodeRecording(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { claim } = held;
  const view = await loadRecordedView(deps.db, claim.task);
  if (view === null) throw new LeaseLost();
  const writers = view.renditions.map(({ id }) =>
    createChunkWriter({
      ...{ storage: deps.storage, key: claim.task.key, renditionId: id, attempt: claim.attempt },
      ...(view.isOneOfSeveral && { mostSegments: 1 }),
    }),
  );
  try {
    const { fromSegment, toSegment } = claim.task;
    const outputs =
      view.source === null && !view.isJoined
        ? await encodeBlank({ view, fromSegment, toSegment, writers }, signal)
        : await encodePublished({ view, held, writers }, deps, signal);
    await publishChunks(deps, claim, { outputs, isLast: true });
  } catch (error) {
    await discardAfter(
      error,
      deps,
      writers.flatMap((writer) => writer.written),
    );
    throw error;
  }
}

async function encodePublished(
  run: Pick<RecordedRun, 'view' | 'held' | 'writers'>,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<RenditionOutput[]> {
  const local = await openPublished(run.view, run.held.claim.task, deps, signal);
  try {
    return await encodeAll({ ...run, path: local.path, memoryBytes: deps.encoderMemoryBytes }, signal);
  } finally {
    await local.release();
  }
}

/** Opens the segments of a range as one file. Without a source, the file shows a black picture. */
function openPublished(
  view: RecordedView,
  { fromSegment, toSegment }: EncodeTask,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<LocalSource> {
  const { source, cutList, renditions } = view;
  const cuts = shiftedCuts(cutList, fromSegment, toSegment);
  const read = (unread: AbortSignal) =>
    source === null
      ? readBlank(view, cuts, unread)
      : readSource({ ...view, source }, { fromSegment, cuts }, deps, unread);
  const made = async (unread: AbortSignal) => {
    const sizeBytes = ((cuts.endTicks / cuts.timescale) * GUESSED_BPS) / 8;
    return { sizeBytes, body: Readable.from(read(unread), { objectMode: false }) };
  };
  const name = source?.id ?? `black-${renditions[0]?.id}`;
  return deps.sources.openBuilt(`${name}-${fromSegment}-${toSegment}`, made, signal);
}

/** Reads the source's segments of a range, with times that start at 0. */
async function* readSource(
  { source, firstSegment }: RecordedView & { source: NonNullable<RecordedView['source']> },
  { fromSegment, cuts }: { fromSegment: number; cuts: CutList },
  deps: JobDeps,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  yield source.init;
  for (const [number, startTick] of cuts.startTicks.entries()) {
    const found = await readSourceSegment(source.id, fromSegment - firstSegment + number, deps, signal);
    if (found === null) throw sourceGone(source.id);
    const durationTicks = segmentStartTicks(cuts, number + 1) - startTick;
    const timing = { number, timescale: source.timescale, startTick, durationTicks };
    const { fragments } = copySegment(found.bytes, found.fragments, timing);
    for (const { head, payload } of fragments) yield Buffer.concat([head, payload]);
  }
}

async function* readBlank({ renditions }: RecordedView, cuts: CutList, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { widthPx, heightPx } = renditions[0] ?? {};
  if (!widthPx || !heightPx) throw new Error('Expected a rendition with a size, got none.');
  const blank = await makeBlank({ widthPx, heightPx, timescale: cuts.timescale }, signal);
  yield blank.init;
  for (const number of cuts.startTicks.keys()) {
    for (const { head, payload } of blankSegment(blank, cuts, number).fragments) yield Buffer.concat([head, payload]);
  }
}

type RecordedRun = {
  view: RecordedView;
  held: HeldTask;
  path: string;
  writers: readonly ChunkWriter[];
  memoryBytes: number | undefined;
};

async function encodeAll(run: RecordedRun, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { view, held, path, writers, memoryBytes } = run;
  const { fromSegment, toSegment } = held.claim.task;
  const segmentCount = toSegment - fromSegment;
  const cutList = shiftedCuts(view.cutList, fromSegment, toSegment);
  const video = await withPublishedColours(view.facts.video, path, signal);
  const facts = { ...view.facts, video, durationSec: cutList.endTicks / cutList.timescale };
  const colours = video === null ? BT709 : coloursOf(video);
  const plan = planEncode({
    ...{ facts, cutList, range: { fromSegment: 0, toSegment: segmentCount }, watermark: null },
    ...{ rungs: view.renditions.map(rungOf), codec: findCodec(view.renditions[0]?.codec ?? '') },
    // The periods may have different colours.
    ...{ decoderThreads: 1, encoderThreads: 1, colours: !view.isJoined && isShownByAll(colours) ? colours : BT709 },
  });
  const stop = new AbortController();
  const options = { sourcePath: path, sourceDurationSec: facts.durationSec, niceness: NICENESS, memoryBytes };
  const encoder = await runFfmpeg(plan, options, AbortSignal.any([signal, stop.signal]));
  // There is one writer and one output per rendition, in this order.
  const outputs = view.renditions.map(
    (rendition, index): RungOutput => ({ rendition, writer: writers[index] as ChunkWriter, init: null }),
  );
  const fractions = outputs.map(() => 0);
  const rungs = outputs.map(async (rungOutput, index) => {
    const segmenter = createVideoSegmenter({ cutList: view.cutList, firstSegment: fromSegment, segmentCount });
    const reported = (doneSec: number) => {
      fractions[index] = doneSec / plan.durationSec;
      held.report(Math.min(...fractions));
    };
    await storeRung(
      { stream: encoder.outputs[index] as Readable, rungOutput, segmenter, hdrBoxes: plan.hdrBoxes, reported },
      signal,
    );
  });
  await endReading(encoder, stop, rungs);
  return await collect(outputs, signal);
}

/** Adds the colours found in the media. Publishers signal them only in the parameter sets. */
async function withPublishedColours(
  video: VideoFacts | null,
  path: string,
  signal: AbortSignal,
): Promise<VideoFacts | null> {
  const probed = await probeSource(path, (await stat(path)).size, signal);
  if (video === null || 'kind' in probed || probed.video === null) return video;
  const { pixelFormat, bitDepth, hdr, colorMatrix, colours, hdrMetadata } = probed.video;
  const shown = { pixelFormat, bitDepth, hdr, colorMatrix, ...(colours && { colours }) };
  return { ...video, ...shown, ...(hdrMetadata && { hdrMetadata }) };
}

/** Returns the cuts of a range as a timeline that starts at 0. */
function shiftedCuts({ startTicks, timescale, ...cuts }: CutList, fromSegment: number, toSegment: number): CutList {
  const first = startTicks[fromSegment] ?? 0;
  const endTicks = (startTicks[toSegment] ?? cuts.endTicks) - first;
  const shifted = startTicks.slice(fromSegment, toSegment).map((tick) => tick - first);
  return { timescale, startTicks: shifted, endTicks, grid: { kind: 'source' } };
}
