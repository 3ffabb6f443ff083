import type { Readable } from 'node:stream';
import { commitChunks, type RenditionOutput } from '../catalog/encoding/chunk-store.ts';
import type { Claim } from '../catalog/encoding/work.ts';
import { loadWorkView, type WorkRendition, type WorkView } from '../catalog/encoding/work-view-store.ts';
import { readFragment } from '../media/cmaf/fragment.ts';
import { normaliseInit, readInitSegment } from '../media/cmaf/init-segment.ts';
import { createVideoSegmenter, type Segmenter } from '../media/cmaf/segmenter.ts';
import { createStreamSplitter } from '../media/cmaf/stream-splitter.ts';
import { findCodec } from '../media/codecs/all.ts';
import { planEncode } from '../media/encode.ts';
import { RUNGS, type RungPlan } from '../media/ladder.ts';
import { runFfmpeg } from '../media/run-ffmpeg.ts';
import { defineJob } from './define-job.ts';
import { LeaseLost } from './hold-lease.ts';
import { type HeldWork, holdWork } from './hold-work.ts';
import type { JobDeps } from './job-deps.ts';
import { openRanges, pictureTicks, replanPassThrough } from './read-pass-through.ts';
import { type WorkRef, workJob } from './send-works.ts';
import { type ChunkWriter, createChunkWriter, discardObjects } from './store-chunk.ts';

/** Live, HTTP and sound come first; then what is still missing to play at all. */
const NICENESS = { quick: 5, long: 10 };

/** Encodes a range of segments of all rungs of a work by one ffmpeg. */
export const encodeChunk = defineJob<WorkRef, JobDeps>({
  ...workJob('video', 'long'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => encodeRange(held, deps, lease)),
});

/** As `encodeChunk`, for what makes a new video playable: it never waits behind long encodes. */
export const encodeFirstChunk = defineJob<WorkRef, JobDeps>({
  ...workJob('video', 'quick'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => encodeRange(held, deps, lease)),
});

async function encodeRange({ claim, tell }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadWorkView(deps.db, claim.work);
  if (view === null || view.renditions.length === 0) throw new LeaseLost();
  const local = await deps.sources.open(view.sourceKey, signal);
  const writers = view.renditions.map((rendition) =>
    createChunkWriter({
      storage: deps.storage,
      key: claim.work.key,
      renditionId: rendition.id,
      attempt: claim.attempt,
    }),
  );
  try {
    const job = { claim, deps, view, path: local.path, writers, tell };
    const outputs = await encodeAll(job, signal);
    await deps.db.transaction().execute((tx) => commitChunks(tx, claim, { outputs, isLast: true }));
  } catch (error) {
    const written = writers.flatMap((writer) => writer.written);
    await discardObjects(deps.storage, written, deps.report);
    throw error;
  } finally {
    await local.release();
  }
}

type RangeJob = {
  claim: Claim;
  deps: JobDeps;
  view: WorkView;
  path: string;
  writers: readonly ChunkWriter[];
  tell: (fraction: number) => void;
};

/** Runs the encoder and stores what comes out. Nothing counts before the encoder has ended well and all is verified. */
async function encodeAll(job: RangeJob, signal: AbortSignal): Promise<RenditionOutput[]> {
  const { claim, deps, view, path } = job;
  const range = { fromSegment: claim.work.fromSegment, toSegment: claim.work.toSegment };
  const expectedTicks = await sourceTicks(job, signal);
  const threads = claim.failures > 0 || view.renditions.length > 1 ? 1 : deps.threadsPerSlot;
  const plan = planEncode({
    facts: view.facts,
    cutList: view.cutList,
    range,
    rungs: view.renditions.map(rungOf),
    codec: findCodec(view.renditions[0]?.codec ?? ''),
    decoderThreads: claim.failures > 0 ? 1 : deps.threadsPerSlot,
    encoderThreads: threads,
  });
  const options = {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: claim.work.fromSegment === 0 && claim.work.toSegment === 1 ? 0 : NICENESS[claim.work.lane],
  };
  const ended = new AbortController();
  const run = await runFfmpeg(plan, options, AbortSignal.any([signal, ended.signal]));
  const fractions = view.renditions.map(() => 0);
  try {
    const outputs = await Promise.all(
      view.renditions.map((rendition, index) => {
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
        const [stream, writer] = [run.outputs[index] as Readable, job.writers[index] as ChunkWriter];
        return storeRung({ rendition, stream, writer, segmenter, told }, signal);
      }),
    );
    await run.done;
    return outputs;
  } catch (error) {
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

function isAborted(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'kind' in reason && reason.kind === 'aborted';
}

type Rung = {
  rendition: WorkRendition;
  stream: Readable;
  writer: ChunkWriter;
  segmenter: Segmenter;
  told: (doneSec: number) => void;
};

async function storeRung(rung: Rung, signal: AbortSignal): Promise<RenditionOutput> {
  const { rendition, stream, writer, segmenter, told } = rung;
  const splitter = createStreamSplitter();
  let init: Buffer | null = null;
  let facts: ReturnType<typeof readInitSegment> | null = null;
  let doneTicks = 0;
  for await (const bytes of stream) {
    for (const part of splitter.push(bytes)) {
      if (part.kind === 'init') {
        facts = readInitSegment(part.bytes);
        init = normaliseInit(part.bytes);
        continue;
      }
      const fragment = readFragment(part.bytes, facts?.sampleDefaults);
      for (const segment of segmenter.push(fragment)) await writer.add(segment, signal);
      doneTicks += fragment.samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
      told(doneTicks / (facts?.timescale ?? 1));
    }
  }
  splitter.end();
  if (init === null || facts === null) throw new Error('Expected an init segment from the encoder, none came.');
  for (const segment of segmenter.end()) await writer.add(segment, signal);
  const { codecString, widthPx, heightPx } = facts;
  return { renditionId: rendition.id, init, codecString, widthPx, heightPx, chunks: await writer.flush(signal) };
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
