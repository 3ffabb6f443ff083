import { findStored } from '../../catalog/lifecycle/chunk-store.ts';
import { publishesGrowing } from '../../catalog/tasks/task-kind.ts';
import type { TaskRendition } from '../../catalog/tasks/task-view-store.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import type { FfmpegRun } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { publishChunks } from './publish-chunks.ts';
import type { AudioInit, AudioPart } from './read-audio.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/**
 * Number of segments in the first chunk, which is small so that playback can start, and in later chunks. A segment
 * lasts about 4 s.
 */
const FIRST_SEGMENTS = 1;
const NEXT_SEGMENTS = 8;

type TrackJob = {
  held: HeldTask;
  deps: JobDeps;
  rendition: TaskRendition;
  run: FfmpegRun;
  parts: AsyncIterable<AudioPart>;
  /**
   * Called after the output of the encoder was read completely, and before the task ends, which may complete the track.
   */
  atEnd: () => Promise<void>;
};

/** Publishes the output of an audio encode in growing chunks, and ends its task. */
export async function publishTrack(job: TrackJob, signal: AbortSignal): Promise<void> {
  const { claim, report } = job.held;
  const { fromSegment, toSegment, key, kind } = claim.task;
  const { id, isOnDemand } = job.rendition;
  const writer = createChunkWriter({
    ...{ storage: job.deps.storage, key, renditionId: id, attempt: claim.attempt },
    ...(isOnDemand && { findTaken: (range) => findStored(job.deps.db, id, range) }),
  });
  // Segments that were made on demand can be anywhere in the range, so the writer skips them one by one.
  const publishedTo = isOnDemand ? fromSegment : job.rendition.publishedTo;
  let init: AudioInit | null = null;
  let nextFlush = publishesGrowing(kind) ? chunkEnd(publishedTo) : toSegment;

  async function publish(isLast: boolean): Promise<void> {
    if (init === null) throw new Error('Expected an init segment from the encoder, got none.');
    const chunks = await writer.flush(signal);
    const { codecString } = init.facts;
    const output = { renditionId: id, init: init.bytes, codecString, widthPx: null, heightPx: null, chunks };
    await publishChunks(job.deps, claim, { outputs: [output], isLast });
    writer.committed(chunks);
  }

  try {
    for await (const item of job.parts) {
      if (item.kind === 'init') {
        init = item;
        continue;
      }
      const end = item.segment.number + 1;
      if (end > publishedTo) await writer.add(item.segment, signal);
      report((end - fromSegment) / (toSegment - fromSegment));
      const endsPart = end === toSegment && toSegment < countAudioSegments(job.rendition.plan.durationSec);
      if (endsPart) return await publish(true);
      if (end === nextFlush && nextFlush < toSegment) {
        await publish(false);
        nextFlush = chunkEnd(nextFlush);
      }
    }
    await job.run.done;
    await job.atEnd();
    await publish(true);
  } catch (error) {
    await discardAfter(error, job.deps, writer.written);
    throw error;
  }
}

function chunkEnd(fromSegment: number): number {
  return fromSegment < FIRST_SEGMENTS ? FIRST_SEGMENTS : fromSegment + NEXT_SEGMENTS;
}
