import type { Readable } from 'node:stream';
import { findStored, type RenditionOutput } from '../catalog/encoding/chunk-store.ts';
import { type Claim, type Work, workPriority } from '../catalog/encoding/work.ts';
import type { WorkRendition, WorkView } from '../catalog/encoding/work-view-store.ts';
import { createVideoSegmenter, type Segmenter } from '../media/cmaf/segmenter.ts';
import { findCodec } from '../media/codecs/all.ts';
import { planEncode } from '../media/encode.ts';
import { RUNGS, type RungPlan } from '../media/ladder.ts';
import { runFfmpeg } from '../media/run-ffmpeg.ts';
import type { Watermark } from '../media/watermark.ts';
import type { JobDeps } from './job-deps.ts';
import { planMissingRuns, type RungsRun } from './missing-runs.ts';
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
};

/**
 * Runs the encoder and stores what comes out, usually in one process for all rungs. Nothing counts before every
 * process has ended well and all is verified. After a failure, for which memory is the likeliest reason, rungs
 * are made one after another, each with one thread.
 */
export async function encodeRungs(job: RangeJob, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { view, writers } = job;
  const expectedTicks = await readPictureTicks(job.path, view, job.claim.work, signal);
  const runs = await planRuns(job);
  // All renditions of a set were planned with the same one.
  const { watermark: planned } = view.renditions[0]?.plan ?? {};
  const watermark = await readWatermark(job.deps.storage, job.claim.work.key.libraryId, planned, signal);
  const inits = new Map<number, PicturesInit>();
  for (const [index, run] of runs.entries()) {
    const tell = (fraction: number) => job.tell((index + fraction) / runs.length);
    for (const [at, init] of await encodeOnce({ ...job, tell }, run, { expectedTicks, watermark }, signal)) {
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

/** What is missing, in as few processes as can be; of what is made on demand, some may be there. */
async function planRuns({ claim, deps, view }: RangeJob): Promise<RungsRun[]> {
  const { fromSegment, toSegment } = claim.work;
  const place = { firstSegment: fromSegment, segmentCount: toSegment - fromSegment };
  const stored = await Promise.all(
    view.renditions.map(({ id, isOnDemand }) => (isOnDemand ? findStored(deps.db, id, place) : [])),
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

async function encodeOnce(
  job: RangeJob,
  { range, renditions }: RungsRun,
  { expectedTicks, watermark }: { expectedTicks: number[] | null; watermark: Watermark | null },
  signal: AbortSignal,
): Promise<Map<number, PicturesInit>> {
  const { view, writers } = job;
  const plan = planRun(job, { range, renditions }, watermark);
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
    throw await endFailedRun(run, ended, error);
  }
}

function planRun({ claim, deps, view }: RangeJob, { range, renditions }: RungsRun, watermark: Watermark | null) {
  const decodesAlone = claim.failures > 0 || !isAwaited(claim.work);
  return planEncode({
    facts: view.facts,
    cutList: view.cutList,
    range,
    rungs: renditions.map((at) => rungOf(view.renditions[at] as WorkRendition)),
    codec: findCodec(codecOf(view)),
    watermark,
    decoderThreads: decodesAlone ? 1 : Math.min(MOST_DECODER_THREADS, deps.threads),
    encoderThreads: 1,
    isCareful: claim.failures > 0,
  });
}

function runOptions({ claim, deps, view, path }: RangeJob) {
  const { lane, kind } = claim.work;
  const usual = kind === 'fill' ? FILL_NICENESS : NICENESS[isFirstAlone(claim.work) ? 'long' : lane];
  return {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: isAwaited(claim.work) ? 0 : usual,
    ...(deps.encoderMemoryBytes === undefined ? {} : { memoryBytes: deps.encoderMemoryBytes }),
  };
}

function isFirstAlone({ lane, fromSegment, toSegment }: Work): boolean {
  return lane === 'quick' && fromSegment === 0 && toSegment === 1;
}

/** Of a first segment alone the lowest rung is waited for, and the others are not to hold it up. */
function isAwaited(work: Work): boolean {
  return isFirstAlone(work) && work.priority >= workPriority(true, 1, 0);
}

/** A work is about rungs of one codec. */
function codecOf(view: WorkView): string {
  return view.renditions[0]?.codec ?? '';
}

type Rung = { stream: Readable; writer: ChunkWriter; segmenter: Segmenter; told: (doneSec: number) => void };

async function storeRung({ stream, writer, segmenter, told }: Rung, signal: AbortSignal): Promise<PicturesInit> {
  let init: PicturesInit | null = null;
  for await (const part of readPictures(stream, segmenter)) {
    if (part.kind === 'init') init = part;
    else if (part.kind === 'segment') await writer.add(part.segment, signal);
    else told(part.doneSec);
  }
  if (init === null) throw new Error('Expected an init segment from the encoder, none came.');
  return init;
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
