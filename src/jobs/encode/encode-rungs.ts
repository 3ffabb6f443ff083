import type { Readable } from 'node:stream';
import { findStored, type RenditionOutput } from '../../catalog/encoding/chunk-store.ts';
import type { Claim, Work } from '../../catalog/encoding/work.ts';
import type { WorkRendition, WorkView } from '../../catalog/encoding/work-view-store.ts';
import { CommitInDoubt } from '../../catalog/in-transaction.ts';
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
import { readPictureTicks } from './read-pass-through.ts';
import { endFailedRun, type PicturesInit, readPictures } from './read-pictures.ts';
import { readWatermark } from './read-watermark.ts';
import type { ChunkWriter } from './store-chunk.ts';

/** Live, HTTP and sound come first; then what is still missing to play at all. */
const NICENESS = { quick: 5, long: 10 };
const FILL_NICENESS = 15;
const MOST_DECODER_THREADS = 4;

/** A claimed range of segments of some rungs of one codec; `writers` has one for each of the view's renditions. */
export type RangeJob = {
  claim: Claim;
  deps: JobDeps;
  view: WorkView;
  path: string;
  writers: readonly ChunkWriter[];
  tell: (fraction: number) => void;
  /** Publishes what is there as it grows; then others may have stored some of it. Null: nothing before all is there. */
  publish: ((outputs: readonly RenditionOutput[]) => Promise<void>) | null;
};

/** One rendition in the making; `init` is what its first run gave. */
type Making = { rendition: WorkRendition; writer: ChunkWriter; init: PicturesInit | null };

/**
 * Runs the encoder and stores what comes out, usually in one process for all rungs, and answers what is not published
 * yet. After a failure, for which memory is the likeliest reason, rungs are made one after another, each with one thread.
 */
export async function encodeRungs(job: RangeJob, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { view, writers } = job;
  const expectedTicks = await readPictureTicks(job.path, view, job.claim.work, signal);
  const runs = await planRuns(job);
  // All renditions of a set were planned with the same one.
  const { watermark: planned } = view.renditions[0]?.plan ?? {};
  const watermark = await readWatermark(job.deps.storage, job.claim.work.key.libraryId, planned, signal);
  // One writer was made for each rendition, in this order.
  const all = view.renditions.map(
    (rendition, at): Making => ({ rendition, writer: writers[at] as ChunkWriter, init: null }),
  );
  for (const [index, { range, renditions }] of runs.entries()) {
    const tell = (fraction: number) => job.tell((index + fraction) / runs.length);
    const makings = renditions.map((at) => all[at] as Making);
    await encodeOnce({ ...job, tell }, { range, makings, expectedTicks, watermark }, signal);
  }
  return collect(all, signal);
}

/** Stores what is held of each rendition, and answers all that was stored since the last time. */
async function collect(makings: readonly Making[], signal: AbortSignal): Promise<RenditionOutput[]> {
  const outputs: RenditionOutput[] = [];
  for (const { rendition, writer, init } of makings) {
    if (init === null) continue;
    const { codecString, widthPx, heightPx } = init.facts;
    const chunks = await writer.flush(signal);
    outputs.push({ renditionId: rendition.id, init: init.bytes, codecString, widthPx, heightPx, chunks });
  }
  return outputs;
}

/** What is missing, in as few processes as can be; of what is made on demand or as it grows, some may be there. */
async function planRuns({ claim, deps, view, publish }: RangeJob): Promise<RungsRun[]> {
  const { fromSegment, toSegment } = claim.work;
  const place = { firstSegment: fromSegment, segmentCount: toSegment - fromSegment };
  const stored = await Promise.all(
    view.renditions.map(({ id, isOnDemand }) => (isOnDemand || publish !== null ? findStored(deps.db, id, place) : [])),
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
  makings: readonly Making[];
  expectedTicks: readonly number[] | null;
  watermark: Watermark | null;
};

async function encodeOnce(job: RangeJob, run: Run, signal: AbortSignal): Promise<void> {
  const { range, makings, expectedTicks } = run;
  const segmentCount = range.toSegment - range.fromSegment;
  const plan = planRun(job, run);
  const ended = new AbortController();
  const ffmpeg = await runFfmpeg(plan, runOptions(job), AbortSignal.any([signal, ended.signal]));
  const growth = publishGrowing(makings.length, segmentCount, () => publishMeanwhile(job, makings, signal));
  const fractions = makings.map(() => 0);
  const rungs = makings.map(async (making, index) => {
    const segmenter = createVideoSegmenter({
      cutList: job.view.cutList,
      firstSegment: range.fromSegment,
      segmentCount,
      ...(expectedTicks === null ? {} : { expectedTicks }),
      // Damaged packets: a first try that failed may have failed by them.
      mayLackFrames: job.claim.failures > 0,
    });
    const told = (seconds: number) => {
      fractions[index] = seconds / plan.durationSec;
      job.tell(Math.min(...fractions));
    };
    // One output was made for each rendition, in this order.
    const stream = ffmpeg.outputs[index] as Readable;
    await storeRung({ stream, making, segmenter, told, made: () => growth.made(index) }, signal);
  });
  try {
    await Promise.all(rungs);
    await ffmpeg.done;
    await growth.end();
  } catch (error) {
    const better = await endFailedRun(ffmpeg, ended, error);
    // What was stored is deleted next, so nothing may be on its way any more. Of several errors the first is told.
    await Promise.allSettled([...rungs, growth.end()]);
    throw better;
  }
}

async function publishMeanwhile({ publish }: RangeJob, makings: readonly Making[], signal: AbortSignal): Promise<void> {
  if (publish === null) return;
  const outputs = await collect(makings, signal);
  const tookIn = () => {
    for (const { renditionId, chunks } of outputs) {
      makings.find(({ rendition }) => rendition.id === renditionId)?.writer.tookIn(chunks);
    }
  };
  try {
    await publish(outputs);
  } catch (error) {
    // Another error may be the one that is told: what rows may name is not to be deleted then.
    if (error instanceof CommitInDoubt) tookIn();
    throw error;
  }
  tookIn();
}

function planRun({ claim, deps, view }: RangeJob, { range, makings, watermark }: Run) {
  const decodesAlone = claim.failures > 0 || !isAwaited(claim.work);
  return planEncode({
    facts: view.facts,
    cutList: view.cutList,
    range,
    rungs: makings.map(({ rendition }) => rungOf(rendition)),
    codec: findCodec(codecOf(view)),
    watermark,
    decoderThreads: decodesAlone ? 1 : Math.min(MOST_DECODER_THREADS, deps.threads),
    encoderThreads: 1,
    isCareful: claim.failures > 0,
  });
}

function runOptions({ claim, deps, view, path }: RangeJob) {
  const { lane, kind } = claim.work;
  const usual = kind === 'fill' ? FILL_NICENESS : NICENESS[lane];
  return {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: isAwaited(claim.work) ? 0 : usual,
    ...(deps.encoderMemoryBytes === undefined ? {} : { memoryBytes: deps.encoderMemoryBytes }),
  };
}

/** A first segment alone is what playing waits for. */
function isAwaited({ lane, fromSegment, toSegment }: Work): boolean {
  return lane === 'quick' && fromSegment === 0 && toSegment === 1;
}

/** A work is about rungs of one codec. */
function codecOf(view: WorkView): string {
  return view.renditions[0]?.codec ?? '';
}

type Rung = {
  stream: Readable;
  making: Making;
  segmenter: Segmenter;
  told: (doneSec: number) => void;
  made: () => void;
};

async function storeRung({ stream, making, segmenter, told, made }: Rung, signal: AbortSignal): Promise<void> {
  for await (const part of readPictures(stream, segmenter)) {
    if (part.kind === 'init') fixInit(making, part);
    else if (part.kind === 'progress') told(part.doneSec);
    else {
      await making.writer.add(part.segment, signal);
      made();
    }
  }
}

function fixInit(making: Making, init: PicturesInit): void {
  making.init ??= init;
  if (!making.init.bytes.equals(init.bytes)) throw new Error('Expected all runs of a rung to give one init segment.');
}

/** What the encoder is told of a rendition. */
export function rungOf(rendition: WorkRendition): RungPlan {
  const rung = RUNGS.find((known) => known === rendition.rung);
  const { widthPx, heightPx, plan } = rendition;
  if (rung === undefined || widthPx === null || heightPx === null || plan.maxBitrateBps === undefined) {
    throw new Error(`Expected rendition ${rendition.id} to have a rung, a size and a cap.`);
  }
  return { rung, widthPx, heightPx, maxBitrateBps: plan.maxBitrateBps };
}
