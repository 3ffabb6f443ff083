import { BT709, type Colours } from '../probe/colours.ts';
import { toNumber } from '../probe/frame-rate.ts';
import { MAX_LATE_SHARE } from '../probe/grid-meter.ts';
import type { SourceFacts, VideoFacts } from '../probe/source-facts.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { colourFilters, rangeOf } from './colour-filters.ts';
import type { RungPlan } from './ladder.ts';
import { type WatermarkPosition, watermarkFilters } from './watermark.ts';

/**
 * Range of frames on the grid, from `fromFrame` (inclusive) to `toFrame` (exclusive). Decoding begins at `leadFrame` or
 * earlier.
 */
export type FrameWindow = { fromFrame: number; toFrame: number; leadFrame: number };

/**
 * Moves decoded frames to the grid. Each slot shows the newest source frame whose rounded time is not later. A slot's
 * frame depends only on the source, so separate processes agree on every boundary. Slots before the first frame show
 * the first one, and slots after the last frame show the last one.
 */
export function gridFilters(facts: SourceFacts, video: VideoFacts, window: FrameWindow): string[] {
  const { num, den } = video.rate;
  return [
    ...deinterlace(video),
    ...moveTime('setpts', -timelineOriginSec(facts, 'frames')),
    video.isVariableRate ? ownSlots(num / den) : steadySlots(num / den),
    `fps=fps=${num}/${den}:start_time=${((window.leadFrame * den) / num).toFixed(6)}:round=near`,
    'tpad=stop_mode=clone:stop=-1',
    // After `fps`, a tick is a frame.
    `trim=start_pts=${window.fromFrame}:end_pts=${window.toFrame}`,
  ];
}

/** Fraction of a frame duration by which a frame may precede its slot. */
const EARLY_SHARE = 0.4;
/** Fraction of a frame duration by which times rounded to a millisecond may miss a slot's boundary. */
const JITTER_SHARE = 0.08;

/**
 * Assigns each frame the time of its slot. After a splice, frames may be half a frame off the grid, where times rounded
 * to a millisecond would repeatedly double one frame and lose the next. Therefore a frame that is just beyond the end
 * of the slot after the previous frame's slot still gets that slot, and slots do not end at half a frame.
 */
function steadySlots(framesPerSec: number): string {
  const at = `T*${framesPerSec}`;
  const middle = 0.5 - EARLY_SHARE;
  const isOff = `gt(abs(${at}-${middle}-ld(0)-1)\\,${0.5 + JITTER_SHARE})`;
  const slot = `st(0\\,if(eq(N\\,0)+${isOff}\\,floor(${at}+${EARLY_SHARE})\\,ld(0)+1))`;
  return `setpts=(${slot}+0.01)/(${framesPerSec}*TB)`;
}

/**
 * Assigns each frame of a variable rate the nearest slot, or the next one if another frame already has it. A frame that
 * would be late by more than `MAX_LATE_SHARE` shares the slot of another frame, and one of the two is lost.
 */
function ownSlots(framesPerSec: number): string {
  const at = `T*${framesPerSec}`;
  const next = `ld(0)+lte(ld(0)+1-${at}\\,${MAX_LATE_SHARE})`;
  const slot = `st(0\\,if(eq(N\\,0)+gt(round(${at})\\,ld(0))\\,round(${at})\\,${next}))`;
  return `setpts=(${slot}+0.01)/(${framesPerSec}*TB)`;
}

/** Maximum media cut off the start of a timeline to align frames with the grid, in seconds. */
const MAX_CUT_SEC = 0.021;

/**
 * Returns the source's clock at the start of a timeline. Copied video keeps the file's own times. A frame grid begins
 * with the earliest stream. It is moved by less than a frame, so that frames of a constant rate are on the grid and not
 * between two slots, where rounded timestamps would double one frame and lose the next. Audio moves with it.
 */
export function timelineOriginSec(facts: SourceFacts, grid: CutList['grid']['kind']): number {
  const { startSec, video } = facts;
  if (grid === 'source') return 0;
  if (video === null || video.isVariableRate) return startSec;
  const frameSec = 1 / toNumber(video.rate);
  const offsetSec = video.startSec - startSec;
  const nearSec = Math.round(offsetSec / frameSec) * frameSec - offsetSec;
  const shiftSec = nearSec < -MAX_CUT_SEC ? nearSec + frameSec : nearSec;
  return Math.abs(shiftSec) < 1e-6 ? startSec : startSec - shiftSec;
}

/**
 * Shifts timestamps by a number of seconds. The filter subtracts the timeline's start instead of ffmpeg's
 * `-start_at_zero`, which counts from the earliest stream in use, so that video and audio of an MPEG-TS would lose
 * sync.
 */
export function moveTime(filter: 'setpts' | 'asetpts', sec: number): string[] {
  if (Math.abs(sec) < 1e-6) return [];
  return [`${filter}=PTS${sec < 0 ? '-' : '+'}${Math.abs(sec).toFixed(6)}/TB`];
}

/** Outputs of the scaling graph. `timeBase` is the time base of its input frames. */
export type Cascade = {
  rungs: readonly RungPlan[];
  labels: readonly string[];
  /** Output colours. */
  colours: Colours;
  mark: { position: WatermarkPosition; timeBase: string } | null;
};

/**
 * Builds a filter graph from one decoded stream to one `[label]` per rung, scaled in a cascade: each from the next
 * larger one, in 4:2:0 with square pixels. Colours are converted at the size of the largest rung. The watermark is
 * drawn on the largest rung, and the other rungs inherit it.
 */
export function scaleCascade(video: VideoFacts, { rungs, labels, colours, mark }: Cascade): string {
  const parts: string[] = [];
  const range = rangeOf(colours);
  rungs.forEach((rung, index) => {
    const isLast = index === rungs.length - 1;
    const input = index === 0 ? '' : `[rest${index}]`;
    const scaling =
      index === 0
        ? colourFilters(video, sizeOf(rung), colours)
        : `scale=${sizeOf(rung)}:in_range=${range}:out_range=${range}`;
    const marking =
      index > 0 || mark === null
        ? ''
        : `[plain];${watermarkFilters(mark.position, { ...rung, timeBase: mark.timeBase, colours })}`;
    const output = isLast ? `[${labels[index]}]` : `,split=2[${labels[index]}][rest${index + 1}]`;
    parts.push(`${input}${scaling},setsar=1${marking}${output}`);
  });
  return parts.join(';');
}

/**
 * Returns filters that prepare decoded frames for display at a size: deinterlaced, BT.709, 8-bit, square pixels. If a
 * graph contains several of these chains, each needs a different `label`.
 */
export function pictureFilters(
  video: VideoFacts,
  size: Pick<RungPlan, 'widthPx' | 'heightPx'>,
  label: string,
): string[] {
  const colours = colourFilters(video, sizeOf(size), BT709, label);
  return [...steadySize(video), ...deinterlace(video), colours, 'setsar=1'];
}

function sizeOf({ widthPx, heightPx }: Pick<RungPlan, 'widthPx' | 'heightPx'>): string {
  return `${widthPx}:${heightPx}`;
}

/**
 * Returns the input options that every decode needs for `steadySize`. By default, ffmpeg rebuilds the filter graph when
 * the size changes, and a new `fps` filter repeats the timeline from its start. A rotated source keeps the default,
 * because the filter that ffmpeg inserts first to rotate it accepts only one size. After a failure, `steadySize`
 * rotates the source instead, but does not mirror it.
 */
export function sizeChangeArgv({ rotationDeg }: VideoFacts, isCareful: boolean): string[] {
  if (rotationDeg === 0) return ['-reinit_filter', '0'];
  return isCareful ? ['-noautorotate', '-reinit_filter', '0'] : [];
}

const TURNS = { 0: [], 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] } as const;

/**
 * Fits each frame whose size, pixel shape or pixel format differs from the stream's into the stream's size, with black
 * bars. This happens, for example, when a recorded window is resized. Frames of the stream's own size pass unchanged.
 */
export function steadySize(
  { codedWidthPx, codedHeightPx, sampleAspect, rotationDeg }: VideoFacts,
  isCareful = false,
): string[] {
  if (rotationDeg !== 0 && !isCareful) return [];
  // Bars cover whole chroma samples, so an odd side would lose its last line.
  const [width, height] = [evenUp(codedWidthPx), evenUp(codedHeightPx)];
  const aspect = toNumber(sampleAspect);
  const isUsual = `eq(iw,${codedWidthPx})*eq(ih,${codedHeightPx})*lt(abs(sar/${aspect}-1),0.01)`;
  const zoom = `min(${width}*${aspect}/(iw*sar),${height}/ih)`;
  const fitted = (usualPx: number, length: string) =>
    `'if(${isUsual},${usualPx},min(${usualPx},max(2,2*round(${zoom}*${length}/2))))'`;
  return [
    `scale=w=${fitted(width, `iw*sar/${aspect}`)}:h=${fitted(height, 'ih')}:eval=frame`,
    `pad=${width}:${height}:-1:-1:eval=frame`,
    ...TURNS[rotationDeg],
  ];
}

function evenUp(px: number): number {
  return px + (px % 2);
}

function deinterlace(video: VideoFacts): string[] {
  return video.isInterlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : [];
}
