import type { Readable } from 'node:stream';
import { inTransaction } from '../../catalog/in-transaction.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { commitSegment } from '../../catalog/on-demand/segment-store.ts';
import { endSegmentTask, renewSegmentTask } from '../../catalog/on-demand/segment-task-store.ts';
import { loadTaskView, type TaskRendition, type TaskView } from '../../catalog/tasks/task-view-store.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { type FfmpegRun, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { ChunkRange } from '../../media/timeline/chunk-plan.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { endFailedRun, endRun, type PicturesInit, readEncodedVideo } from '../encode/read-encoded-video.ts';
import { readPictureTicks } from '../encode/read-pass-through.ts';
import { readWatermark } from '../encode/read-watermark.ts';
import { createChunkWriter, discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { planAudioSegments, planPictureSegments, type SegmentEncode } from './plan-segments.ts';
import { DemandOver, SegmentControl } from './segment-control.ts';

/**
 * Encodes segments as long as viewers request them, starting with the first missing segment. Segment tasks have a
 * separate, shorter lease, because a viewer waits for them.
 */
export async function makeRequestedSegments({ claim }: HeldTask, deps: JobDeps, stopping: AbortSignal): Promise<void> {
  const demand = await renewSegmentTask(deps.db, claim);
  if (demand !== null && demand.requestedTo !== null) {
    const control = new SegmentControl(deps.db, claim, demand, stopping);
    const threads = deps.segments.add(control);
    try {
      await makeSegments(control, threads, deps);
    } catch (error) {
      const reason: unknown = control.signal.aborted ? control.signal.reason : error;
      if (!(reason instanceof DemandOver)) throw reason;
    } finally {
      deps.segments.remove(control);
    }
  }
  await endSegmentTask(deps.db, claim);
}

/**
 * Encodes the segments of a task one after another, and publishes each as soon as it is checked. Continues as long as
 * viewers request the next segment, and stops at a segment that already exists. Throws if the control aborts.
 */
async function makeSegments(control: SegmentControl, threads: number, deps: JobDeps): Promise<void> {
  const { claim, signal } = control;
  const view = await loadTaskView(deps.db, claim.task);
  const [rendition] = view?.renditions ?? [];
  if (view === null || rendition === undefined) throw new Error('The original file no longer exists.');
  const local = await openPlanned(deps.sources, view, signal);
  try {
    const job: SegmentJob = { control, threads, deps, view, rendition, path: local.path };
    for (const [index, range] of planRanges(job).entries()) {
      if (index > 0 && !(await control.goesOnTo(range.fromSegment, true))) return;
      if (!(await encode(job, range))) return;
    }
  } finally {
    await local.release();
  }
}

/** Niceness of the encoder. Delivery runs before it, and all other encoding after it. */
const NICENESS = 2;

type SegmentJob = {
  control: SegmentControl;
  threads: number;
  deps: JobDeps;
  view: TaskView;
  rendition: TaskRendition;
  path: string;
};

/**
 * Plans the range of each encoder. An encoder that continues reads half a second ahead before it outputs a segment. The
 * awaited segment therefore gets a separate encoder, which needs 20 % less CPU time until the segment is ready.
 */
function planRanges({ control: { range }, view, rendition }: SegmentJob): ChunkRange[] {
  if (rendition.kind === 'audio') return [range];
  const { fromSegment } = range;
  const toSegment = Math.min(range.toSegment, view.cutList.startTicks.length);
  const next = Math.min(toSegment, fromSegment + 1);
  const ahead = next < toSegment ? [{ fromSegment: next, toSegment }] : [];
  return [{ fromSegment, toSegment: next }, ...ahead];
}

/** Encodes a range. Returns whether the whole range was encoded, so that the next one can follow. */
async function encode(job: SegmentJob, range: ChunkRange): Promise<boolean> {
  const { control, deps, view, path } = job;
  const planned = await planSegments(job, range);
  const ended = new AbortController();
  const options = {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: NICENESS,
    memoryBytes: deps.encoderMemoryBytes,
  };
  const run = await runFfmpeg(planned.plan, options, AbortSignal.any([control.signal, ended.signal]));
  try {
    const isWhole = await publishRun(job, run, planned);
    await endRun(run, ended);
    return isWhole;
  } catch (error) {
    throw await endFailedRun(run, ended, control.signal.aborted ? control.signal.reason : error);
  }
}

async function planSegments(
  { control, threads, deps, view, rendition, path }: SegmentJob,
  range: ChunkRange,
): Promise<SegmentEncode> {
  const { signal, claim } = control;
  if (rendition.kind === 'audio') return planAudioSegments(view, rendition, range);
  const expectedTicks = await readPictureTicks(path, view, range, signal);
  const watermark = await readWatermark(deps.storage, claim.task.key.libraryId, rendition.plan.watermark, signal);
  return planPictureSegments(view, { rendition, range }, { expectedTicks, watermark, threads });
}

async function publishRun(job: SegmentJob, run: FfmpegRun, planned: SegmentEncode): Promise<boolean> {
  const { segmenter, hdrBoxes, toSegment, isPaced } = planned;
  let init: PicturesInit | null = null;
  // The plan has one rendition.
  for await (const part of readEncodedVideo(run.outputs[0] as Readable, segmenter, hdrBoxes)) {
    if (part.kind === 'init') init = part;
    if (part.kind !== 'segment') continue;
    if (init === null) throw new Error('Expected an init segment before the first segment, got none.');
    const next = part.segment.number + 1;
    if (!(await publishSegment(job, init, part.segment))) return false;
    if (next >= toSegment) return true;
    if (!(await job.control.goesOnTo(next, isPaced))) return false;
  }
  return false;
}

/** Stores and publishes a segment. Returns false if the segment already exists. */
async function publishSegment(
  { control: { claim, signal }, deps, rendition }: SegmentJob,
  { bytes, facts }: PicturesInit,
  segment: Segment,
): Promise<boolean> {
  const { attempt, task } = claim;
  const { key } = task;
  const renditionId = rendition.id;
  const writer = createChunkWriter({ storage: deps.storage, key, renditionId, attempt });
  try {
    await writer.add(segment, signal);
    const { codecString, widthPx, heightPx } = facts;
    const chunks = await writer.flush(signal);
    const output: RenditionOutput = { renditionId, init: bytes, codecString, widthPx, heightPx, chunks };
    const isTaken = await inTransaction(deps.db, async (tx) => {
      return commitSegment(tx, claim, { segment: segment.number, output });
    });
    if (!isTaken) await discardObjects(deps.storage, writer.written, deps.report);
    return isTaken;
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  }
}
