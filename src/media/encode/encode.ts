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
  /** Rungs to encode, highest first, at least one. */
  rungs: readonly RungPlan[];
  codec: VideoCodec;
  /** Colours of SDR output. Default: BT.709. Ignored for HDR output. */
  colours?: Colours | undefined;
  /** Watermark drawn on every rung, or null. */
  watermark: Watermark | null;
  decoderThreads: number;
  encoderThreads: number;
  /** Set after a failure. Decoding starts earlier than necessary, and frames may be missing. */
  isCareful?: boolean;
  /** Whether a viewer is waiting for the result. */
  isAwaited?: boolean;
  /**
   * Number of threads for filters. Default: 1, because tasks run in parallel and scaling takes less time than encoding.
   */
  filterThreads?: number;
};

/** An encoder run and the additional boxes of its init segments (`writeHdrBoxes`). */
type EncoderPlan = FfmpegPlan & { hdrBoxes: readonly Buffer[] };

/**
 * Number of grid frames that are decoded before the first requested one, so that the frame shown at that position is
 * always decoded and a deinterlacer has a neighbour. ffmpeg itself seeks another 0.13 s back if frames are reordered. A
 * larger lead would often cost a whole GOP if a cut is just after a keyframe.
 */
const LEAD_FRAMES = 2;
/** Decoding lead in seconds, used without a grid and after a failure. */
const SEEK_LEAD_SEC = 0.25;
/** Maximum error of the video's end as declared by the container, in seconds. */
const END_DOUBT_SEC = 1;
/** Decoding lead of at least one long GOP, in seconds, used if seeks can end between keyframes. */
const BLIND_SEEK_LEAD_SEC = 12;
const IDR_SEC = 2;

/**
 * Plans one ffmpeg run that decodes a range of segments once and encodes every given rung of it into fragmented MP4 on
 * pipes, in the order of `rungs`. HDR stays HDR if the codec keeps it. Fragments begin at keyframes: every 2 s of
 * frames, and at each cut. Adjacent ranges join without a lost or doubled frame. The first `tfdt` of each output is 0
 * for any range, so the caller must add the start of the range. Throws for a source without video.
 */
export function planEncode(job: EncodeJob): EncoderPlan {
  const { facts, cutList, range, rungs } = job;
  const { video } = facts;
  if (video === null) throw new Error('Expected a source with video, got audio only.');
  if (rungs.length === 0) throw new Error('Expected at least one rung to encode, got none.');
  const pacing = cutList.grid.kind === 'frames' ? paceByFrames(job, video) : paceBySource(job, video);
  const labels = rungs.map((_, index) => `v${index}`);
  const hdr = job.codec.keepsHdr ? video.hdr : null;
  const hdrMetadata = hdr === null ? undefined : video.hdrMetadata;
  const colours = hdr === null ? (job.colours ?? BT709) : hdrColours(video);
  const mark = job.watermark && { position: job.watermark, timeBase: pacing.timeBase };
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
    codec: job.codec.name,
    hdrBoxes: writeHdrBoxes(hdrMetadata),
    ...(job.watermark === null ? {} : { input: job.watermark.png }),
  };
}

/** Timing of frames: the seek target, the frames that filters drop, and the encoder's keyframes. */
type Pacing = {
  clock: string[];
  seekSec: number;
  filters: string[];
  /** Time base of the filters' output frames. */
  timeBase: string;
  timing: string[];
  gopFrames: number;
};

function paceByFrames(job: EncodeJob, video: VideoFacts): Pacing {
  const { facts, cutList } = job;
  if (cutList.grid.kind !== 'frames') throw new Error(`Expected a cut list on a frame grid, got ${cutList.grid.kind}.`);
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

/** Returns options that force keyframes at the cuts if segments do not have the length of the encoder's GOPs. */
function keyFramesAtCuts({ grid, startTicks, timescale }: CutList, { fromSegment, toSegment }: ChunkRange): string[] {
  if (grid.kind !== 'frames') return [];
  const cuts = startTicks.slice(fromSegment, toSegment);
  const segmentTicks = (grid.segmentFrames * timescale * grid.rate.den) / grid.rate.num;
  const isRegular = cuts.every((tick, index) => index === 0 || tick - (cuts[index - 1] ?? 0) === segmentTicks);
  return isRegular ? [] : forceKeyFrames(cuts, timescale);
}

function forceKeyFrames(cuts: readonly number[], timescale: number): string[] {
  return ['-force_key_frames', cuts.map((ticks) => (ticks / timescale).toFixed(6)).join(',')];
}

/** Returns the frames of a range on a frame grid, numbered from the start of the timeline. */
function framesOf(cutList: CutList, range: ChunkRange): { fromFrame: number; toFrame: number } {
  if (cutList.grid.kind !== 'frames') throw new Error(`Expected a cut list on a frame grid, got ${cutList.grid.kind}.`);
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
  // Past the end of the video, the last frame is needed, so start decoding before it.
  return { fromFrame, toFrame, leadFrame: Math.max(0, Math.min(fromFrame, pictureEndFrame) - leadFrames) };
}

function paceBySource({ facts, cutList, range, isCareful = false }: EncodeJob, video: VideoFacts): Pacing {
  const { timescale } = cutList;
  const startTicks = segmentStartTicks(cutList, range.fromSegment);
  const endTicks = segmentStartTicks(cutList, range.toSegment);
  const isLast = range.toSegment === cutList.startTicks.length;
  const cuts = cutList.startTicks.slice(range.fromSegment, range.toSegment);
  // A cut is a keyframe from which everything after it decodes. A seek to half a frame past the cut finds that keyframe
  // and not the previous one, from which decoding could take most of the time of the encode task. ffmpeg counts from
  // the file's start.
  const isExact = facts.seeksToKeyframes && !isCareful;
  const exactSec = startTicks / timescale + 0.5 / toNumber(video.rate) - facts.startSec;
  return {
    // Keep the source's own times, because encoded frames must have the same times as copied frames.
    clock: ['-copyts'],
    seekSec: Math.max(0, isExact ? exactSec : startTicks / timescale - seekLeadSec(facts)),
    // The stream's time base is the timescale of the cut list. Rounding may move the last frame to the end.
    filters: [
      `trim=start_pts=${startTicks}${isLast ? '' : `:end_pts=${endTicks}`}`,
      // If the frame at the cut cannot be decoded, show the next one from the cut on.
      ...(isCareful ? [`setpts='if(eq(N,0),${startTicks},PTS)'`] : []),
    ],
    timeBase: `1/${timescale}`,
    timing: [
      ...forceKeyFrames(cuts, timescale),
      // Both options are needed: with the time base alone, ffmpeg outputs a frame for every tick.
      ...['-enc_time_base', '-1', '-fps_mode', 'passthrough'],
    ],
    gopFrames: Math.max(1, Math.round(IDR_SEC * toNumber(video.rate))),
  };
}

/** Returns the time before the requested one at which decoding starts, in seconds. */
export function seekLeadSec(facts: SourceFacts): number {
  return facts.seeksToKeyframes ? SEEK_LEAD_SEC : BLIND_SEEK_LEAD_SEC;
}

function openVideo(threads: number, seekSec: number): string[] {
  // Decode from the keyframe on without dropping frames: a long frame may begin long before the seek target.
  const seek = seekSec > 0 ? ['-ss', seekSec.toFixed(6), '-noaccurate_seek'] : [];
  return [...GUARD_ARGV, '-threads', String(threads), '-an', '-sn', '-dn', ...seek, '-i', SOURCE_URL];
}

function fragmentedMp4(timescale: number, fd: number): string[] {
  return [
    // Drop titles, locations and chapters of the source, so that init segments of all ranges are identical.
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
    ...['-video_track_timescale', String(timescale), '-avoid_negative_ts', 'disabled', '-f', 'mp4'],
    ...['-movflags', 'empty_moov+default_base_moof+frag_keyframe+negative_cts_offsets', `pipe:${fd}`],
  ];
}

function rangeTicks(cutList: CutList, range: ChunkRange): number {
  return segmentStartTicks(cutList, range.toSegment) - segmentStartTicks(cutList, range.fromSegment);
}
