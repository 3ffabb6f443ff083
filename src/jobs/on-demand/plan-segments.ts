import type { TaskRendition, TaskView } from '../../catalog/tasks/task-view-store.ts';
import { countAudioSegments } from '../../media/cmaf/audio-grid.ts';
import { createVideoSegmenter, type Segmenter } from '../../media/cmaf/segmenter.ts';
import { findCodec } from '../../media/encode/codecs/all.ts';
import { planEncode } from '../../media/encode/encode.ts';
import { planAudioRange } from '../../media/encode/encode-audio.ts';
import { timelineOriginSec } from '../../media/encode/encode-filters.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import type { FfmpegPlan } from '../../media/ffmpeg/ffmpeg-plan.ts';
import type { ChunkRange } from '../../media/timeline/chunk-plan.ts';
import { rungOf } from '../encode/encode-rungs.ts';
import { createAudioSegmenter } from '../encode/read-audio.ts';

/**
 * Plan for encoding segments of one rendition: the ffmpeg plan, the segmenter, and the index after the last segment.
 */
export type SegmentEncode = {
  plan: FfmpegPlan;
  segmenter: Segmenter;
  hdrBoxes: readonly Buffer[];
  toSegment: number;
  /**
   * Whether the encoder pauses until viewers need more segments, instead of encoding the whole range without a pause.
   */
  isPaced: boolean;
};

/**
 * Inputs for a video plan in addition to the task view: the frame times (null on a frame grid), the watermark, and the
 * number of threads.
 */
export type PictureNeeds = { expectedTicks: number[] | null; watermark: Watermark | null; threads: number };

/** Number of x264 threads per processor. It is more than one, because some threads always wait for others. */
const THREADS_OF_X264 = 1.5;

/**
 * Number of audio segments encoded per task, about 30 s of audio. Encoding them takes about as long as starting an
 * encoder.
 */
const AUDIO_SEGMENTS = 8;

/** Plans video segments for one encoder. */
export function planPictureSegments(
  { facts, cutList }: TaskView,
  { rendition, range }: { rendition: TaskRendition; range: ChunkRange },
  { expectedTicks, watermark, threads }: PictureNeeds,
): SegmentEncode {
  const encoderThreads = threads === 1 ? 1 : Math.ceil(THREADS_OF_X264 * threads);
  const plan = planEncode({
    ...{ facts, cutList, range, rungs: [rungOf(rendition)], codec: findCodec(rendition.codec), watermark },
    ...{ colours: rendition.plan.colours, isAwaited: true },
    ...{ decoderThreads: threads, filterThreads: threads, encoderThreads, isCareful: threads === 1 },
  });
  const { fromSegment, toSegment } = range;
  const segmenter = createVideoSegmenter({
    ...{ cutList, firstSegment: fromSegment, segmentCount: toSegment - fromSegment, mayLackFrames: threads === 1 },
    ...(expectedTicks === null ? {} : { expectedTicks }),
  });
  return { plan, segmenter, hdrBoxes: plan.hdrBoxes, toSegment, isPaced: true };
}

/** Plans audio segments from a given segment on. */
export function planAudioSegments(
  { facts, cutList }: TaskView,
  rendition: TaskRendition,
  claimed: ChunkRange,
): SegmentEncode {
  const { durationSec, streamIndex, form } = rendition.plan;
  const track = facts.audio.find((one) => one.streamIndex === streamIndex);
  if (track === undefined) throw new Error(`Expected audio in stream ${streamIndex}, found none.`);
  const { fromSegment } = claimed;
  const toSegment = Math.min(claimed.toSegment, fromSegment + AUDIO_SEGMENTS, countAudioSegments(durationSec));
  const originSec = timelineOriginSec(facts, cutList.grid.kind);
  const plan = planAudioRange(facts, track, { durationSec, originSec, form, range: { fromSegment, toSegment } });
  return { plan, segmenter: createAudioSegmenter(fromSegment), hdrBoxes: [], toSegment, isPaced: false };
}
