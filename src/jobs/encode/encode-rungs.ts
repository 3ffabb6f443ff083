import type { Readable } from 'node:stream';
import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import { findStored, type RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import type { Claim, EncodeTask } from '../../catalog/tasks/encode-task.ts';
import type { TaskRendition, TaskView } from '../../catalog/tasks/task-view-store.ts';
import { createVideoSegmenter, type Segmenter } from '../../media/cmaf/segmenter.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { planEncode } from '../../media/encode/encode.ts';
import { RUNGS, type RungPlan } from '../../media/encode/ladder.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { ChunkRange } from '../../media/timeline/chunk-plan.ts';
import type { JobDeps } from '../job-deps.ts';
import { planMissingRuns, type RungsRun } from './missing-runs.ts';
import { publishGrowing } from './publish-growing.ts';
import { endReading, type PicturesInit, readEncodedVideo } from './read-encoded-video.ts';
import { readPictureTicks } from './read-pass-through.ts';
import { readWatermark } from './read-watermark.ts';
import type { ChunkWriter } from './store-chunk.ts';

/** Niceness of encoders. Live, HTTP and audio run first, then encodes without which nothing plays yet. */
const NICENESS = { viewers: 2, quick: 5, long: 10 };
const BACKFILL_NICENESS = 15;
const MAX_DECODER_THREADS = 4;

/** A claimed range of segments of some rungs of one codec. `writers` has one writer per rendition of the view. */
export type RangeJob = {
  claim: Claim;
  deps: JobDeps;
  view: TaskView;
  path: string;
  writers: readonly ChunkWriter[];
  report: (fraction: number) => void;
  /**
   * Publishes the segments that are stored so far, while others may also be stored by other tasks. Null: nothing is
   * published until the whole range is stored.
   */
  publish: ((outputs: readonly RenditionOutput[]) => Promise<void>) | null;
};

/** A rendition that is being encoded. `init` is the init segment of the first encoder run. */
export type RungOutput = { rendition: TaskRendition; writer: ChunkWriter; init: PicturesInit | null };

/**
 * Runs the encoder and stores its output, usually in one process for all rungs. Returns the output that is not
 * published yet. After a failed attempt, encodes the rungs one after another with one thread each, because lack of
 * memory is the most likely cause.
 */
export async function encodeRungs(job: RangeJob, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { view, writers } = job;
  const expectedTicks = await readPictureTicks(job.path, view, job.claim.task, signal);
  const runs = await planRuns(job);
  // All renditions of a set have the same watermark.
  const { watermark: planned } = view.renditions[0]?.plan ?? {};
  const watermark = await readWatermark(job.deps.storage, job.claim.task.key.libraryId, planned, signal);
  // There is one writer per rendition, in this order.
  const all = view.renditions.map(
    (rendition, index): RungOutput => ({ rendition, writer: writers[index] as ChunkWriter, init: null }),
  );
  for (const [index, { range, renditions }] of runs.entries()) {
    const report = (fraction: number) => job.report((index + fraction) / runs.length);
    const rungOutputs = renditions.map((at) => all[at] as RungOutput);
    await encodeOnce({ ...job, report }, { range, rungOutputs, expectedTicks, watermark }, signal);
  }
  return collect(all, signal);
}

/** Stores the pending segments of each rendition. Returns all chunks stored since the last call. */
export async function collect(rungOutputs: readonly RungOutput[], signal: AbortSignal): Promise<RenditionOutput[]> {
  const outputs: RenditionOutput[] = [];
  for (const { rendition, writer, init } of rungOutputs) {
    if (init === null) continue;
    const { codecString, widthPx, heightPx } = init.facts;
    const chunks = await writer.flush(signal);
    outputs.push({ renditionId: rendition.id, init: init.bytes, codecString, widthPx, heightPx, chunks });
  }
  return outputs;
}

/**
 * Plans the missing segments in as few processes as possible. Some segments may already exist, because they were made
 * on demand or published by an earlier attempt.
 */
async function planRuns({ claim, deps, view, publish }: RangeJob): Promise<RungsRun[]> {
  const { fromSegment, toSegment } = claim.task;
  const run = { firstSegment: fromSegment, segmentCount: toSegment - fromSegment };
  const stored = await Promise.all(
    view.renditions.map(({ id, isOnDemand }) => (isOnDemand || publish !== null ? findStored(deps.db, id, run) : [])),
  );
  const missing = planMissingRuns(
    { fromSegment, toSegment },
    stored.map((segments) => new Set(segments)),
  );
  const single = claim.failures > 0 ? missing.flatMap(eachRendition) : missing;
  const cutsFreely = view.cutList.grid.kind === 'frames' || findCodec(codecOf(view)).forcesKeyframes;
  return cutsFreely ? single : single.flatMap(eachSegment);
}

function eachRendition({ range, renditions }: RungsRun): RungsRun[] {
  return renditions.map((rendition) => ({ range, renditions: [rendition] }));
}

function eachSegment({ range: { fromSegment, toSegment }, renditions }: RungsRun): RungsRun[] {
  return Array.from({ length: toSegment - fromSegment }, (_, index) => {
    const from = fromSegment + index;
    return { range: { fromSegment: from, toSegment: from + 1 }, renditions };
  });
}

type Run = {
  range: ChunkRange;
  rungOutputs: readonly RungOutput[];
  expectedTicks: readonly number[] | null;
  watermark: Watermark | null;
};

async function encodeOnce(job: RangeJob, run: Run, signal: AbortSignal): Promise<void> {
  const { range, rungOutputs, expectedTicks } = run;
  const segmentCount = range.toSegment - range.fromSegment;
  const plan = planRun(job, run);
  const ended = new AbortController();
  const ffmpeg = await runFfmpeg(plan, runOptions(job), AbortSignal.any([signal, ended.signal]));
  const growth = publishGrowing(rungOutputs.length, segmentCount, () => publishMeanwhile(job, rungOutputs, signal));
  const fractions = rungOutputs.map(() => 0);
  const rungs = rungOutputs.map(async (rungOutput, index) => {
    const segmenter = createVideoSegmenter({
      cutList: job.view.cutList,
      firstSegment: range.fromSegment,
      segmentCount,
      ...(expectedTicks === null ? {} : { expectedTicks }),
      // Damaged packets may be the reason why the first attempt failed.
      mayLackFrames: job.claim.failures > 0,
    });
    const reported = (seconds: number) => {
      fractions[index] = seconds / plan.durationSec;
      job.report(Math.min(...fractions));
    };
    // There is one output per rendition, in this order.
    const stream = ffmpeg.outputs[index] as Readable;
    const made = () => growth.made(index);
    await storeRung({ stream, rungOutput, segmenter, hdrBoxes: plan.hdrBoxes, reported, made }, signal);
  });
  await endReading(ffmpeg, ended, rungs, () => growth.end());
}

async function publishMeanwhile(
  { publish }: RangeJob,
  rungOutputs: readonly RungOutput[],
  signal: AbortSignal,
): Promise<void> {
  if (publish === null) return;
  const outputs = await collect(rungOutputs, signal);
  const committed = () => {
    for (const { renditionId, chunks } of outputs) {
      rungOutputs.find(({ rendition }) => rendition.id === renditionId)?.writer.committed(chunks);
    }
  };
  try {
    await publish(outputs);
  } catch (error) {
    // The error that is thrown may be a different one, so this is recorded here: objects that rows may refer to must
    // not be deleted.
    if (error instanceof CommitInDoubt) committed();
    throw error;
  }
  committed();
}

function planRun({ claim, deps, view }: RangeJob, { range, rungOutputs, watermark }: Run) {
  const decodesAlone = claim.failures > 0 || !isAwaited(claim.task);
  return planEncode({
    facts: view.facts,
    cutList: view.cutList,
    range,
    rungs: rungOutputs.map(({ rendition }) => rungOf(rendition)),
    codec: findCodec(codecOf(view)),
    watermark,
    colours: view.renditions[0]?.plan.colours,
    isAwaited: isAwaited(claim.task) || claim.task.queue === 'viewers',
    decoderThreads: decodesAlone ? 1 : Math.min(MAX_DECODER_THREADS, deps.threads),
    encoderThreads: 1,
    isCareful: claim.failures > 0,
  });
}

function runOptions({ claim, deps, view, path }: RangeJob) {
  const { queue, kind } = claim.task;
  const usual = kind === 'backfill' ? BACKFILL_NICENESS : NICENESS[queue];
  return {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: isAwaited(claim.task) ? 0 : usual,
    memoryBytes: deps.encoderMemoryBytes,
  };
}

/** Returns whether playback waits for this task, which then makes only the first segment. */
function isAwaited({ queue, fromSegment, toSegment }: EncodeTask): boolean {
  return queue === 'quick' && fromSegment === 0 && toSegment === 1;
}

/** Returns the codec, which all rungs of an encode task share. */
function codecOf(view: TaskView): string {
  return view.renditions[0]?.codec ?? '';
}

type Rung = {
  stream: Readable;
  rungOutput: RungOutput;
  segmenter: Segmenter;
  hdrBoxes: readonly Buffer[];
  reported: (doneSec: number) => void;
  /** Called after a segment is stored. */
  made?: () => void;
};

export async function storeRung(
  { stream, rungOutput, segmenter, hdrBoxes, reported, made }: Rung,
  signal: AbortSignal,
): Promise<void> {
  for await (const part of readEncodedVideo(stream, segmenter, hdrBoxes)) {
    if (part.kind === 'init') fixInit(rungOutput, part);
    else if (part.kind === 'progress') reported(part.doneSec);
    else {
      await rungOutput.writer.add(part.segment, signal);
      made?.();
    }
  }
}

function fixInit(rungOutput: RungOutput, init: PicturesInit): void {
  rungOutput.init ??= init;
  const first = rungOutput.init.bytes;
  if (!first.equals(init.bytes)) {
    throw new Error(
      'Expected all runs of a rung to produce the same init segment, got different ones of ' +
        `${first.length} and ${init.bytes.length} bytes.`,
    );
  }
}

/** Returns the encoder's settings for a rendition. */
export function rungOf(rendition: TaskRendition): RungPlan {
  const rung = RUNGS.find((known) => known === rendition.rung);
  const { widthPx, heightPx, plan } = rendition;
  if (rung === undefined || widthPx === null || heightPx === null || plan.maxBitrateBps === undefined) {
    throw new Error(`Expected rendition ${rendition.id} to have a rung, a size and a cap.`);
  }
  return { rung, widthPx, heightPx, maxBitrateBps: plan.maxBitrateBps };
}
