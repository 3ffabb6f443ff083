import type { Readable } from 'node:stream';
import type { RenditionOutput } from '../catalog/encoding/chunk-store.ts';
import { loadWorkView, type WorkRendition, type WorkView } from '../catalog/encoding/work-view-store.ts';
import { inTransaction } from '../catalog/in-transaction.ts';
import { commitSegment } from '../catalog/jit/segment-store.ts';
import type { Segment } from '../media/cmaf/segment.ts';
import { createVideoSegmenter } from '../media/cmaf/segmenter.ts';
import { findCodec } from '../media/codecs/all.ts';
import { planEncode } from '../media/encode.ts';
import { type FfmpegRun, runFfmpeg } from '../media/run-ffmpeg.ts';
import { rungOf } from './encode-rungs.ts';
import type { JobDeps } from './job-deps.ts';
import { readPictureTicks } from './read-pass-through.ts';
import { endFailedRun, endRun, type PicturesInit, readPictures } from './read-pictures.ts';
import { readWatermark } from './read-watermark.ts';
import type { RunControl } from './run-control.ts';
import { sendWorks } from './send-works.ts';
import { createChunkWriter, discardAfter, discardObjects } from './store-chunk.ts';

/** What making segments for viewers takes. `threads` are those of one encoder. */
export type SegmentDeps = Pick<JobDeps, 'db' | 'queue' | 'storage' | 'sources' | 'report' | 'encoderMemoryBytes'> & {
  threads: number;
};

/**
 * Makes the segments of a run, one after the other by one encoder, each published as soon as it is checked. It goes on
 * while viewers want the next one and ends where a segment is there already. Throws the control's reason when that
 * ends it. `told` hears which segment comes next.
 */
export async function makeSegments(
  control: RunControl,
  deps: SegmentDeps,
  told: (nextSegment: number) => void,
): Promise<void> {
  const { claim, signal } = control;
  const view = await loadWorkView(deps.db, { ...claim, renditionIds: [claim.renditionId] });
  const [rendition] = view?.renditions ?? [];
  if (view === null || rendition === undefined) throw new Error('Expected the original file to be there, it is gone.');
  const local = await deps.sources.open(view.sourceKey, signal);
  try {
    await encode({ control, deps, told, view, rendition, path: local.path });
  } finally {
    await local.release();
  }
}

/** Threads that x264 itself takes for each processor: some always wait for others. */
const THREADS_OF_X264 = 1.5;

type SegmentJob = {
  control: RunControl;
  deps: SegmentDeps;
  told: (nextSegment: number) => void;
  view: WorkView;
  rendition: WorkRendition;
  path: string;
};

async function encode(job: SegmentJob): Promise<void> {
  const { control, deps, view, rendition, path } = job;
  const { fromSegment, toSegment } = control.claim;
  const { facts, cutList } = view;
  const range = { fromSegment, toSegment: Math.min(toSegment, cutList.startTicks.length) };
  const ticks = await readPictureTicks(path, view, range, control.signal);
  const threads = {
    decoderThreads: deps.threads,
    filterThreads: deps.threads,
    encoderThreads: Math.ceil(THREADS_OF_X264 * deps.threads),
  };
  const codec = findCodec(rendition.codec);
  const { libraryId } = control.claim.key;
  const watermark = await readWatermark(deps.storage, libraryId, rendition.plan.watermark, control.signal);
  const plan = planEncode({ facts, cutList, range, rungs: [rungOf(rendition)], codec, watermark, ...threads });
  const ended = new AbortController();
  const options = {
    sourcePath: path,
    sourceDurationSec: facts.durationSec,
    niceness: 0,
    ...(deps.encoderMemoryBytes === undefined ? {} : { memoryBytes: deps.encoderMemoryBytes }),
  };
  const run = await runFfmpeg(plan, options, AbortSignal.any([control.signal, ended.signal]));
  const segmenter = createVideoSegmenter({
    cutList,
    firstSegment: fromSegment,
    segmentCount: range.toSegment - fromSegment,
    ...(ticks === null ? {} : { expectedTicks: ticks }),
  });
  try {
    await publishRun(job, run, segmenter);
    await endRun(run, ended);
  } catch (error) {
    throw await endFailedRun(run, ended, control.signal.aborted ? control.signal.reason : error);
  }
}

async function publishRun(
  job: SegmentJob,
  run: FfmpegRun,
  segmenter: ReturnType<typeof createVideoSegmenter>,
): Promise<void> {
  let init: PicturesInit | null = null;
  // One rendition was asked for.
  for await (const part of readPictures(run.outputs[0] as Readable, segmenter)) {
    if (part.kind === 'init') init = part;
    if (part.kind !== 'segment') continue;
    if (init === null) throw new Error('Expected an init segment before the first segment.');
    const next = part.segment.number + 1;
    if (!(await publishSegment(job, init, part.segment))) return;
    job.told(next);
    if (!(await job.control.goesOnTo(next))) return;
  }
}

/** False when the segment is there already. */
async function publishSegment(
  { control: { claim, signal }, deps }: SegmentJob,
  { bytes, facts }: PicturesInit,
  segment: Segment,
): Promise<boolean> {
  const { key, renditionId, attempt } = claim;
  const writer = createChunkWriter({ storage: deps.storage, key, renditionId, attempt });
  try {
    await writer.add(segment, signal);
    const { codecString, widthPx, heightPx } = facts;
    const chunks = await writer.flush(signal);
    const output: RenditionOutput = { renditionId, init: bytes, codecString, widthPx, heightPx, chunks };
    const isTaken = await inTransaction(deps.db, async (tx) => {
      const works = await commitSegment(tx, claim, { segment: segment.number, output });
      await sendWorks(deps.queue, works ?? [])(tx);
      return works !== null;
    });
    if (!isTaken) await discardObjects(deps.storage, writer.written, deps.report);
    return isTaken;
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  }
}
