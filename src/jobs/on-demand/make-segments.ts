import type { Readable } from 'node:stream';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { commitSegment } from '../../catalog/jit/segment-store.ts';
import type { RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
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
import { planPictureSegments, planSoundSegments, type SegmentEncode } from './plan-segments.ts';
import type { RunControl } from './run-control.ts';

/** What making segments for viewers takes. */
export type SegmentDeps = Pick<JobDeps, 'db' | 'queue' | 'storage' | 'sources' | 'report' | 'encoderMemoryBytes'> & {
  /** Threads of this one. */
  encoderThreads: number;
};

/**
 * Makes the segments of a run one after the other, each published as soon as it is checked. It goes on
 * while viewers want the next one and ends where a segment is there already. Throws the control's reason when that
 * ends it. `reported` gets the number of the segment that comes next.
 */
export async function makeSegments(
  control: RunControl,
  deps: SegmentDeps,
  reported: (nextSegment: number) => void,
): Promise<void> {
  const { claim, signal } = control;
  const view = await loadTaskView(deps.db, { ...claim, renditionIds: [claim.renditionId] });
  const [rendition] = view?.renditions ?? [];
  if (view === null || rendition === undefined) throw new Error('Expected the original file to be there, it is gone.');
  const local = await openPlanned(deps.sources, view, signal);
  try {
    const job: SegmentJob = { control, deps, reported, view, rendition, path: local.path };
    for (const [index, range] of planRanges(job).entries()) {
      if (index > 0 && !(await control.goesOnTo(range.fromSegment, true))) return;
      if (!(await encode(job, range))) return;
    }
  } finally {
    await local.release();
  }
}

/** What is delivered comes first, all other encoding behind. */
const NICENESS = 2;

type SegmentJob = {
  control: RunControl;
  deps: SegmentDeps;
  reported: (nextSegment: number) => void;
  view: TaskView;
  rendition: TaskRendition;
  path: string;
};

/**
 * What one encoder each makes. One that goes on reads half a second ahead before it gives out a segment: the one that is
 * awaited has an encoder of its own, which ends with it (a fifth less processor time until it is there).
 */
function planRanges({ control: { claim }, view, rendition }: SegmentJob): ChunkRange[] {
  if (rendition.kind === 'audio') return [claim];
  const { fromSegment } = claim;
  const toSegment = Math.min(claim.toSegment, view.cutList.startTicks.length);
  const next = Math.min(toSegment, fromSegment + 1);
  const ahead = next < toSegment ? [{ fromSegment: next, toSegment }] : [];
  return [{ fromSegment, toSegment: next }, ...ahead];
}

/** Whether all of the range was made, and there may be more to make. */
async function encode(job: SegmentJob, range: ChunkRange): Promise<boolean> {
  const { control, deps, view, path } = job;
  const planned = await planSegments(job, range);
  const ended = new AbortController();
  const options = {
    sourcePath: path,
    sourceDurationSec: view.facts.durationSec,
    niceness: NICENESS,
    ...(deps.encoderMemoryBytes === undefined ? {} : { memoryBytes: deps.encoderMemoryBytes }),
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
  { control, deps, view, rendition, path }: SegmentJob,
  range: ChunkRange,
): Promise<SegmentEncode> {
  const { signal, claim } = control;
  if (rendition.kind === 'audio') return planSoundSegments(view, rendition, range);
  const expectedTicks = await readPictureTicks(path, view, range, signal);
  const watermark = await readWatermark(deps.storage, claim.key.libraryId, rendition.plan.watermark, signal);
  return planPictureSegments(view, { rendition, range }, { expectedTicks, watermark, threads: deps.encoderThreads });
}

async function publishRun(job: SegmentJob, run: FfmpegRun, planned: SegmentEncode): Promise<boolean> {
  const { segmenter, toSegment, isPaced } = planned;
  let init: PicturesInit | null = null;
  // One rendition was asked for.
  for await (const part of readEncodedVideo(run.outputs[0] as Readable, segmenter)) {
    if (part.kind === 'init') init = part;
    if (part.kind !== 'segment') continue;
    if (init === null) throw new Error('Expected an init segment before the first segment.');
    const next = part.segment.number + 1;
    if (!(await publishSegment(job, init, part.segment))) return false;
    job.reported(next);
    if (next >= toSegment) return true;
    if (!(await job.control.goesOnTo(next, isPaced))) return false;
  }
  return false;
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
      return commitSegment(tx, claim, { segment: segment.number, output });
    });
    if (!isTaken) await discardObjects(deps.storage, writer.written, deps.report);
    return isTaken;
  } catch (error) {
    await discardAfter(error, deps, writer.written);
    throw error;
  }
}
