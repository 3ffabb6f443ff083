import { writeHdrBoxes } from '../cmaf/hdr-boxes.ts';
import { type FfmpegPlan, FIRST_OUTPUT_FD, QUIET_ARGV } from '../ffmpeg/ffmpeg-plan.ts';
import { BT709, type Colours } from '../probe/colours.ts';
import { toNumber } from '../probe/frame-rate.ts';
import { GUARD_ARGV, SOURCE_URL } from '../probe/open-source.ts';
import type { SourceFacts, VideoFacts } from '../probe/source-facts.ts';
import type { ChunkRange } from '../timeline/chunk-plan.ts';
import { type CutList, segmentStartTicks } from '../timeline/cut-list.ts';
import type { VideoCodec } from './codecs/video-codec.ts';
import { colourArgv, hdrColours } from './colour-filters.ts';
import { type FrameWindow, gridFilters, scaleCascade, sizeChangeArgv, steadySize } from './encode-filters.ts';
import type { RungPlan } from './ladder.ts';
import { OPEN_WATERMARK, type Watermark } from './watermark.ts';

export type EncodeJob = {
  facts: SourceFacts;
  cutList: CutList;
  range: ChunkRange;
  /** Highest first, at least one. */
  rungs: readonly RungPlan[];
  codec: VideoCodec;
  /** Of the SDR that is encoded; BT.709 when left out. HDR stays HDR where the codec keeps it. */
  colours?: Colours | undefined;
  /** Burned into every rung. */
  watermark: Watermark | null;
  decoderThreads: number;
  encoderThreads: number;
  /** After a failure: decoding starts earlier than it should have to, and frames may be missing. */
  isCareful?: boolean;
  /** A viewer waits for it. */
  isAwaited?: boolean;
  /** One when left out: tasks run side by side, and scaling is the smaller part. */
  filterThreads?: number;
};

/** An encoder run, and the boxes that its init segments take further (`writeHdrBoxes`). */
type EncoderPlan = FfmpegPlan & { hdrBoxes: readonly Buffer[] };

/**
 * Decoding starts this many frames of the grid before the wanted one, so that the picture shown there is sure to be
 * decoded and a deinterlacer has a neighbour. ffmpeg itself goes back 0.13 s more where frames are reordered. More
 * would often mean a whole GOP more, where a cut lies just behind a keyframe.
 */
const LEAD_FRAMES = 2;
/** As much in seconds, where there is no grid, and after a failure. */
const SEEK_LEAD_SEC = 0.25;
/** The end of the picture as the container says it may be off by this much. */
const END_DOUBT_SEC = 1;
/** Where seeks land between keyframes, decoding starts at least one long GOP ahead. */
const BLIND_SEEK_LEAD_SEC = 12;
const IDR_SEC = 2;

/**
 * Plans one ffmpeg that decodes a range of segments once and encodes every given rung of it into fragmented
 * MP4 on pipes, in the order of `rungs`; HDR stays HDR where the codec keeps it. Fragments begin at keyframes: each 2 s
 * of frames, and at each cut. Neighbouring ranges join without a lost or doubled frame. The first `tfdt` of each output
 * is 0 whatever the range: whoever stores the fragments adds the range's start. Refuses a source without picture.
 */
export function planEncode(job: EncodeJob): EncoderPlan {
  const { facts, cutList, range, rungs } = job;
  const { video } = facts;
  if (video === null) throw new Error('Expected a source with video, this one has audio only.');
  if (rungs.length === 0) throw new Error('Expected at least one rung to encode, got none.');
  const pacing = cutList.grid.kind === 'frames' ? paceByFrames(job, video) : paceBySource(job, video);
  const labels = rungs.map((_, index) => `v${index}`);
  const hdr = job.codec.keepsHdr ? video.hdr : null;
  const hdrMetadata = hdr === null ? undefined : video.hdrMetadata;
  const colours = hdr === null ? (job.colours ?? BT709) : hdrColours(video);
  const mark = job.watermark && { place: job.watermark, timeBase: pacing.timeBase };
  const cascade = scaleCascade(video, { rungs, labels, colours, mark });
  const graph = [...steadySize(video, job.isCareful), ...pacing.filters, cascade].join(',');
  const outputs = rungs.map((rung, index) => [
    ...['-map', `[${labels[index]}]`],
    ...job.codec.encoderArgv({
      rung,
      rate: video.rate,
      gopFrames: pacing.gopFrames,
      threads: job.encoderThreads,
      isAwaited: job.isAwaited,
      hdr,
      hdrMetadata,
    }),
    ...colourArgv(colours),
    ...pacing.timing,
    ...fragmentedMp4(cutList.timescale, FIRST_OUTPUT_FD + index),
  ]);
  return {
    argv: [
      ...QUIET_ARGV,
      ...(job.filterThreads === undefined ? [] : ['-filter_complex_threads', String(job.filterThreads)]),
      ...pacing.clock,
      ...sizeChangeArgv(video, job.isCareful ?? false),
      ...openVideo(job.decoderThreads, pacing.seekSec),
      ...(job.watermark === null ? [] : OPEN_WATERMARK),
      ...['-filter_complex', `[0:${video.streamIndex}]${graph}`],
      ...outputs.flat(),
    ],
    outputs: rungs.map((rung) => `${job.codec.name}-${rung.rung}p`),
    durationSec: rangeTicks(cutList, range) / cutList.timescale,
    hdrBoxes: writeHdrBoxes(hdrMetadata),
    ...(job.watermark === null ? {} : { input: job.watermark.png }),
  };
}

/** How frames are timed: where to seek, what the filters drop, where the encoder puts keyframes. */
type Pacing = {
  clock: string[];
  seekSec: number;
  filters: string[];
  /** Of the pictures that leave the filters. */
  timeBase: string;
  timing: string[];
  gopFrames: number;
};

function paceByFrames(job: EncodeJob, video: VideoFacts): Pacing {
  const { facts, cutList } = job;
  if (cutList.grid.kind !== 'frames') throw new Error('Expected a cut list on a frame grid.');
  const { rate, segmentFrames } = cutList.grid;
  const window = frameWindow(job, video);
  return {
    clock: ['-copyts'],
    seekSec: (window.leadFrame * rate.den) / rate.num,
    filters: gridFilters(facts, video, window),
    timeBase: `${rate.den}/${rate.num}`,
    timing: [...keyFramesAtCuts(cutList, job.range), '-fps_mode', 'passthrough'],
    gopFrames: segmentFrames / 2,
  };
}

/** Where segments have other lengths than the encoder's groups of pictures, it is told where they begin. */
function keyFramesAtCuts({ grid, startTicks, timescale }: CutList, { fromSegment, toSegment }: ChunkRange): string[] {
  if (grid.kind !== 'frames') return [];
  const cuts = startTicks.slice(fromSegment, toSegment);
  const segmentTicks = (grid.segmentFrames * timescale * grid.rate.den) / grid.rate.num;
  const isRegular = cuts.every((tick, at) => at === 0 || tick - (cuts[at - 1] ?? 0) === segmentTicks);
  return isRegular ? [] : forceKeyFrames(cuts, timescale);
}

function forceKeyFrames(cuts: readonly number[], timescale: number): string[] {
  return ['-force_key_frames', cuts.map((ticks) => (ticks / timescale).toFixed(6)).join(',')];
}

/** The frames of a range on a frame grid, by their numbers from the timeline's start. */
function framesOf(cutList: CutList, range: ChunkRange): { fromFrame: number; toFrame: number } {
  if (cutList.grid.kind !== 'frames') throw new Error('Expected a cut list on a frame grid.');
  const { rate, totalFrames } = cutList.grid;
  const frameTicks = (cutList.timescale * rate.den) / rate.num;
  const frameAt = (segment: number) => Math.round(segmentStartTicks(cutList, segment) / frameTicks);
  return { fromFrame: frameAt(range.fromSegment), toFrame: Math.min(totalFrames, frameAt(range.toSegment)) };
}

function frameWindow({ facts, cutList, range, isCareful = false }: EncodeJob, video: VideoFacts): FrameWindow {
  const { fromFrame, toFrame } = framesOf(cutList, range);
  const framesPerSec = toNumber(video.rate);
  const pictureEndSec = video.startSec + video.durationSec - facts.startSec - END_DOUBT_SEC;
  const pictureEndFrame = Math.floor(pictureEndSec * framesPerSec);
  const isExact = facts.seeksToKeyframes && !isCareful;
  const leadFrames = LEAD_FRAMES + (isExact ? 0 : Math.ceil(seekLeadSec(facts) * framesPerSec));
  // Past the end of the picture its last frame is wanted, so decoding starts before that.
  return { fromFrame, toFrame, leadFrame: Math.max(0, Math.min(fromFrame, pictureEndFrame) - leadFrames) };
}

function paceBySource({ facts, cutList, range, isCareful = false }: EncodeJob, video: VideoFacts): Pacing {
  const { timescale } = cutList;
  const startTicks = segmentStartTicks(cutList, range.fromSegment);
  const endTicks = segmentStartTicks(cutList, range.toSegment);
  const isLast = range.toSegment === cutList.startTicks.length;
  const cuts = cutList.startTicks.slice(range.fromSegment, range.toSegment);
  // A cut is a keyframe from which all after it decodes: looking for it half a picture later finds it, and not the one
  // before, from which decoding could be the larger part of the encode task. ffmpeg counts from the file's start.
  const isExact = facts.seeksToKeyframes && !isCareful;
  const exactSec = startTicks / timescale + 0.5 / toNumber(video.rate) - facts.startSec;
  return {
    // The source's own times, untouched: encoded pictures must have the times of the copied ones.
    clock: ['-copyts'],
    seekSec: Math.max(0, isExact ? exactSec : startTicks / timescale - seekLeadSec(facts)),
    // The stream's time base is the cut list's timescale; the last picture may lie on the end by rounding.
    filters: [
      `trim=start_pts=${startTicks}${isLast ? '' : `:end_pts=${endTicks}`}`,
      // The picture on the cut may not decode: the next one is shown from there on.
      ...(isCareful ? [`setpts='if(eq(N,0),${startTicks},PTS)'`] : []),
    ],
    timeBase: `1/${timescale}`,
    timing: [
      ...forceKeyFrames(cuts, timescale),
      // Only as a pair: the time base alone makes ffmpeg emit a frame for every tick.
      ...['-enc_time_base', '-1', '-fps_mode', 'passthrough'],
    ],
    gopFrames: Math.max(1, Math.round(IDR_SEC * toNumber(video.rate))),
  };
}

/** How far ahead of the wanted time decoding starts. */
export function seekLeadSec(facts: SourceFacts): number {
  return facts.seeksToKeyframes ? SEEK_LEAD_SEC : BLIND_SEEK_LEAD_SEC;
}

function openVideo(threads: number, seekSec: number): string[] {
  // Decoding from the keyframe on, nothing dropped: a picture that is shown for long began long before the seek.
  const seek = seekSec > 0 ? ['-ss', seekSec.toFixed(6), '-noaccurate_seek'] : [];
  return [...GUARD_ARGV, '-threads', String(threads), '-an', '-sn', '-dn', ...seek, '-i', SOURCE_URL];
}

function fragmentedMp4(timescale: number, fd: number): string[] {
  return [
    // Titles, places and chapters of the source stay out; initialisation segments of all ranges are the same bytes.
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
    ...['-video_track_timescale', String(timescale), '-avoid_negative_ts', 'disabled', '-f', 'mp4'],
    ...['-movflags', 'empty_moov+default_base_moof+frag_keyframe+negative_cts_offsets', `pipe:${fd}`],
  ];
}

function rangeTicks(cutList: CutList, range: ChunkRange): number {
  return segmentStartTicks(cutList, range.toSegment) - segmentStartTicks(cutList, range.fromSegment);
}
