import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RenditionOutput } from '../catalog/encoding/chunk-store.ts';
import type { Claim } from '../catalog/encoding/work.ts';
import type { WorkRendition, WorkView } from '../catalog/encoding/work-view-store.ts';
import type { ChunkRange } from '../media/chunk-plan.ts';
import { readFragment } from '../media/cmaf/fragment.ts';
import { type InitFacts, normaliseInit, readInitSegment } from '../media/cmaf/init-segment.ts';
import { createVideoSegmenter, type Segmenter } from '../media/cmaf/segmenter.ts';
import { createStreamSplitter } from '../media/cmaf/stream-splitter.ts';
import { findCodec } from '../media/codecs/all.ts';
import { planEncode } from '../media/encode.ts';
import { RUNGS, type RungPlan } from '../media/ladder.ts';
import { runFfmpeg } from '../media/run-ffmpeg.ts';
import type { JobDeps } from './job-deps.ts';
import { openRanges, pictureTicks, replanPassThrough } from './read-pass-through.ts';
import type { ChunkWriter } from './store-chunk.ts';

/** Live, HTTP and sound come first; then what is still missing to play at all. */
const NICENESS = { quick: 5, long: 10 };

/** A process that dies closes its outputs a moment before its own, better reason is known. */
const END_NOTICE_MS = 500;

/** A claimed range of segments of some rungs of one codec; `writers` has one for each of the view's renditions. */
export type RangeJob = {
  claim: Claim;
  deps: JobDeps;
  view: WorkView;
  path: string;
  writers: readonly ChunkWriter[];
  tell: (fraction: number) => void;
};

/** One encoder process: some segments of some of the view's renditions. */
type RungsRun = { range: ChunkRange; renditions: readonly number[] };
type Init = { bytes: Buffer; facts: InitFacts };

/**
 * Runs the encoder and stores what comes out, usually in one process for all rungs. Nothing counts before every
 * process has ended well and all is verified. After a failure, for which memory is the likeliest reason, rungs
 * are made one after another, each with one thread.
 */
export async function encodeRungs(job: RangeJob, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { view, writers } = job;
  const expectedTicks = await sourceTicks(job, signal);
  const runs = planRuns(job);
  const inits = new Map<number, Init>();
  for (const [index, run] of runs.entries()) {
    const tell = (fraction: number) => job.tell((index + fraction) / runs.length);
    for (const [at, init] of await encodeOnce({ ...job, tell }, run, expectedTicks, signal)) {
      const first = inits.get(at) ?? init;
      if (!first.bytes.equals(init.bytes)) throw new Error('Expected all runs of a rung to give one init segment.');
      inits.set(at, first);
    }
  }
  const outputs: RenditionOutput[] = [];
  for (const [at, { bytes: init, facts }] of inits) {
    // One writer was made for each rendition, in this order.
    const [rendition, writer] = [view.renditions[at] as WorkRendition, writers[at] as ChunkWriter];
    const { codecString, widthPx, heightPx } = facts;
    outputs.push({
      renditionId: rendition.id,
      init,
      codecString,
      widthPx,
      heightPx,
      chunks: await writer.flush(signal),
    });
  }
  return outputs;
}

function planRuns({ claim, view }: RangeJob): RungsRun[] {
  const { fromSegment, toSegment } = claim.work;
  const all = view.renditions.map((_, index) => index);
  const groups = claim.failures > 0 ? all.map((index) => [index]) : [all];
  const cutsFreely = view.cutList.grid.kind === 'frames' || findCodec(codecOf(view)).forcesKeyframes;
  const lengths = cutsFreely ? [toSegment - fromSegment] : Array<number>(toSegment - fromSegment).fill(1);
  const ranges = lengths.map((length, index) => {
    const from = fromSegment + (cutsFreely ? 0 : index);
    return { fromSegment: from, toSegment: from + length };
  });
  return groups.flatMap((renditions) => ranges.map((range) => ({ range, renditions })));
}

async function encodeOnce(
  job: RangeJob,
  { range, renditions }: RungsRun,
  expectedTicks: number[] | null,
  signal: AbortSignal,
): Promise<Map<number, Init>> {
  const { view, writers } = job;
  const plan = planRun(job, range, renditions);
  const ended = new AbortController();
  const run = await runFfmpeg(plan, runOptions(job), AbortSignal.any([signal, ended.signal]));
  const fractions = renditions.map(() => 0);
  try {
    const inits = await Promise.all(
      renditions.map(async (at, index) => {
        const segmenter = createVideoSegmenter({
          cutList: view.cutList,
          firstSegment: range.fromSegment,
          segmentCount: range.toSegment - range.fromSegment,
          ...(expectedTicks === null ? {} : { expectedTicks }),
        });
        const told = (seconds: number) => {
          fractions[index] = seconds / plan.durationSec;
          job.tell(Math.min(...fractions));
        };
        // One output and one writer was made for each rendition, in this order.
        const [stream, writer] = [run.outputs[index] as Readable, writers[at] as ChunkWriter];
        return [at, await storeRung({ stream, writer, segmenter, told }, signal)] as const;
      }),
    );
    await run.done;
    return new Map(inits);
  } catch (error) {
    await Promise.race([run.done.catch(() => undefined), sleep(END_NOTICE_MS, undefined, { ref: false })]);
    ended.abort(error);
    for (const output of run.outputs) output.destroy();
    // What the encoder says of its end is the better reason, unless it was ended from here.
    const cause = await run.done.then(
      () => error,
      (reason: unknown) => (isAborted(reason) ? error : reason),
    );
    throw cause;
  }
}

function planRun({ claim, deps, view }: RangeJob, range: ChunkRange, renditions: readonly number[]) {
  const isCareful = claim.failures > 0;
  return planEncode({
    facts: view.facts,
    cutList: view.cutList,
    range,
    rungs: renditions.map((at) => rungOf(view.renditions[at] as WorkRendition)),
    codec: findCodec(codecOf(view)),
    decoderThreads: isCareful ? 1 : deps.threadsPerSlot,
    encoderThreads: isCareful || renditions.length > 1 ? 1 : deps.threadsPerSlot,
  });
}

function runOptions({ claim, deps, view, path }: RangeJob) {
  const { fromSegment, toSegment, lane } = claim.work;
  return {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: lane === 'quick' && fromSegment === 0 && toSegment === 1 ? 0 : NICENESS[lane],
    ...(deps.encoderMemoryBytes === undefined ? {} : { memoryBytes: deps.encoderMemoryBytes }),
  };
}

/** A work is about rungs of one codec. */
function codecOf(view: WorkView): string {
  return view.renditions[0]?.codec ?? '';
}

function isAborted(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'kind' in reason && reason.kind === 'aborted';
}

type Rung = { stream: Readable; writer: ChunkWriter; segmenter: Segmenter; told: (doneSec: number) => void };

async function storeRung({ stream, writer, segmenter, told }: Rung, signal: AbortSignal): Promise<Init> {
  const splitter = createStreamSplitter();
  let init: Init | null = null;
  let doneTicks = 0;
  for await (const bytes of stream) {
    for (const part of splitter.push(bytes)) {
      if (part.kind === 'init') {
        init = { bytes: normaliseInit(part.bytes), facts: readInitSegment(part.bytes) };
        continue;
      }
      const fragment = readFragment(part.bytes, init?.facts.sampleDefaults);
      for (const segment of segmenter.push(fragment)) await writer.add(segment, signal);
      doneTicks += fragment.samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
      told(doneTicks / (init?.facts.timescale ?? 1));
    }
  }
  splitter.end();
  if (init === null) throw new Error('Expected an init segment from the encoder, none came.');
  for (const segment of segmenter.end()) await writer.add(segment, signal);
  return init;
}

/** On the source's own grid, the times that each encoded picture must have. */
async function sourceTicks({ claim, view, path }: RangeJob, signal: AbortSignal): Promise<number[] | null> {
  if (view.cutList.grid.kind === 'frames') return null;
  const file = await openRanges(path);
  try {
    const { index, plan } = await replanPassThrough(file, view.facts, signal);
    return pictureTicks(index, plan, claim.work.fromSegment, claim.work.toSegment);
  } finally {
    await file.close();
  }
}

function rungOf(rendition: WorkRendition): RungPlan {
  const rung = RUNGS.find((known) => known === rendition.rung);
  const { widthPx, heightPx, plan } = rendition;
  if (rung === undefined || widthPx === null || heightPx === null || plan.maxBitrateBps === undefined) {
    throw new Error(`Expected rendition ${rendition.id} to have a rung, a size and a cap.`);
  }
  return { rung, widthPx, heightPx, maxBitrateBps: plan.maxBitrateBps };
}
