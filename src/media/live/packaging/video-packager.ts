import { type AccessUnit, type TrackConfig, VIDEO_TIMESCALE } from '../tracks/access-unit.ts';
import { type LivePart, type LiveSegment, PartWriter } from './part-writer.ts';

const TICKS_PER_MS = VIDEO_TIMESCALE / 1000;
/** Minimum time since the last cut before a keyframe starts a new segment, in ticks. */
const MIN_SEGMENT_TICKS = VIDEO_TIMESCALE;
/** Minimum time since the last cut before a scene cut may start a new segment, in ticks. */
const MIN_SCENE_TICKS = VIDEO_TIMESCALE / 2;
/** Minimum target duration, in seconds. */
const MIN_TARGET_SEC = 2;
/** Maximum target duration and length of a segment, in seconds. A later keyframe does not start the next segment. */
const MAX_SEGMENT_SEC = 20;
const MAX_SEGMENT_TICKS = MAX_SEGMENT_SEC * VIDEO_TIMESCALE;
/** Maximum duration of a frame without a successor, in ticks. */
const MAX_FRAME_TICKS = 10 * VIDEO_TIMESCALE;
/**
 * Maximum duration of the last frame if the frame rate is unknown, in ticks. The last frame lasts as long as the
 * previous one, whose measured duration may be too long because of a slow connection.
 */
const MAX_LAST_FRAME_TICKS = VIDEO_TIMESCALE / 5;
const USUAL_FRAME_TICKS = VIDEO_TIMESCALE / 30;
/** Duration of each repetition of the last keyframe while video is missing, in ticks. Each is a separate part. */
const HELD_FRAME_TICKS = VIDEO_TIMESCALE / 4;
const HELD_SEGMENT_TICKS = 2 * VIDEO_TIMESCALE;
/** H.264 and HEVC reorder at most 16 frames. */
const MAX_REORDERED = 16;
/** Maximum distance of a frame that is moved to the grid of the frame rate. Publishers round times to milliseconds. */
const SNAP_TICKS = 1.5 * TICKS_PER_MS;

/**
 * Returns the target duration for the maximum keyframe interval of an encoder, in seconds. Returns 0 if the interval is
 * unknown, or so long that it is meaningless, because encoders with forced keyframes declare arbitrary values.
 */
export function targetFor(longestGopSec: number): number {
  if (longestGopSec <= 0 || longestGopSec > MAX_SEGMENT_SEC) return 0;
  return Math.max(MIN_TARGET_SEC, Math.round(longestGopSec));
}

/** `cutTick` is the start of a new segment, which precedes the parts in the same output. */
export type PackagerOutput = {
  ended: LivePart[];
  segment: LiveSegment | null;
  cut: { segment: number; tick: number } | null;
};

/**
 * A received or repeated frame and its presentation time on the timeline, from which everything else is created. If
 * `isKey` is true, encoders must encode it as a keyframe.
 */
export type ShownFrame = { shownTick: number; isKey: boolean; bytes: Buffer };

/** `held` is the part with a repeated keyframe, which follows the cut. */
export type ShownOutput = PackagerOutput & { shown: ShownFrame; held: LivePart[] };

/** Maximum time by which a frame may be shown late after repetitions of a keyframe. */
const MAX_STALE_TICKS = VIDEO_TIMESCALE;

type Place = { segment: number; startTick: number; still?: Buffer | null };
type Pending = { tick: number; offsetTicks: number; isKey: boolean; bytes: Buffer };

/**
 * Cuts the frames of a publisher into parts, and into segments at its keyframes. The decode time of a frame is the
 * presentation time of the earliest frame that has not been shown yet. For the first frame of a segment, it is the
 * frame's own presentation time, which is tfdt. Therefore fragments have no delay (decision 335), and no negative
 * offsets except those of the leading frames of an open GOP of HEVC, which are shown before their keyframe. Writes a
 * frame when the next frame, which determines its duration, has arrived.
 */
export class VideoPackager {
  readonly #writer: PartWriter;
  readonly #frameTicks: number;
  /** Frames whose decode time is not known yet, in decode order. */
  #waiting: ShownFrame[] = [];
  #pending: Pending | null = null;
  #segmentTick: number;
  #hasSegment = false;
  #gridTick = 0;
  /** Duration of the last written frame. */
  #lastTicks = USUAL_FRAME_TICKS;
  /** End of the frame with the latest presentation time. */
  #shownTick = 0;
  #lastKey: Buffer = Buffer.alloc(0);
  /** Presentation time of the last keyframe. */
  #keyTick = 0;
  /** Whether the last received frame is a keyframe. If so, later frames can follow its repetitions. */
  #isStill = false;
  #isHeld = false;
  /** End of the repeated keyframe. */
  #heldTick = 0;
  readonly #longestGopSec: number;

  constructor(config: TrackConfig, { segment, startTick, still = null }: Place, longestGopSec = 0) {
    this.#longestGopSec = longestGopSec;
    if (still !== null) this.#lastKey = still;
    this.#frameTicks = config.frameRate > 0 ? VIDEO_TIMESCALE / config.frameRate : 0;
    const track = { kind: 'video', timescale: VIDEO_TIMESCALE, frameTicks: this.#frameTicks } as const;
    this.#writer = new PartWriter(track, segment);
    this.#segmentTick = startTick;
  }

  /** Returns the last keyframe, if any. */
  readonly lastKey = (): Buffer | null => (this.#lastKey.length === 0 ? null : this.#lastKey);

  /** Number of the open segment, or of the next one. */
  get segment(): number {
    return this.#writer.segment;
  }

  /** End of the last frame, or start of the next one. */
  get endTick(): number {
    if (this.#pending === null) return this.#isHeld ? this.#heldTick : this.#segmentTick;
    return this.#pending.tick + Math.round(this.#frameTicks || Math.min(this.#lastTicks, MAX_LAST_FRAME_TICKS));
  }

  /** Whether the last keyframe is also the last frame, so that its repetitions show the last picture. */
  get isStill(): boolean {
    return this.#isStill;
  }

  /**
   * Adds the next frame in decode order. `mediaMs` is its decode time on the timeline. Returns null for a frame long
   * before the end of a repeated keyframe, and for one that refers to frames before it.
   */
  push(unit: AccessUnit, mediaMs: number): ShownOutput | null {
    if (this.#isHeld && !unit.isKey && !this.#isStill) return null;
    const decodeTick = this.#snap(mediaMs * TICKS_PER_MS);
    const shownTick = Math.round(decodeTick + (unit.ptsMs - unit.dtsMs) * TICKS_PER_MS);
    const isStale = this.#isHeld && shownTick < this.#heldTick - MAX_STALE_TICKS;
    // Later frames refer to a dropped one.
    this.#isStill = unit.isKey && !isStale;
    if (isStale) return null;
    const shown = { shownTick, isKey: unit.isKey, bytes: unit.bytes };
    const startTick = unit.isKey ? shownTick : Math.round(decodeTick);
    const startsSegment = this.#mayCut(unit.isKey, startTick);
    if (startsSegment || this.#isHeld) return this.#begin(shown, startTick, startsSegment);
    this.#waiting.push(shown);
    // No later frame is shown before this frame is decoded, which may be one tick later because of rounding. If more
    // frames wait than codecs reorder, the earliest one is the next.
    const isFull = this.#waiting.length > MAX_REORDERED;
    const untilTick = Math.max(decodeTick + 1, isFull ? this.#earliestTick() : 0);
    return { ended: this.#release(untilTick), segment: null, cut: null, shown, held: [] };
  }

  /** Adds a frame that begins a segment, or follows repetitions of a keyframe. */
  #begin(shown: ShownFrame, startTick: number, startsSegment: boolean): ShownOutput {
    const ended = this.#release(Number.POSITIVE_INFINITY);
    const tick = Math.max(startTick, this.#pending === null ? this.endTick : this.#pending.tick + 1);
    if (this.#isHeld && tick > this.#heldTick) ended.push(...this.#holdUntil(tick, false).held);
    this.#isHeld = false;
    const output = this.#add({ ...shown, tick, offsetTicks: Math.max(0, shown.shownTick - tick) }, startsSegment);
    return { ...output, ended: [...ended, ...output.ended] };
  }

  /**
   * Assigns decode times to the frames up to the last one that is shown by `tick`, and writes all of them except the
   * last.
   */
  #release(tick: number): LivePart[] {
    const ended: LivePart[] = [];
    for (;;) {
      const earliest = this.#earliestTick();
      if (this.#waiting.length === 0 || earliest > tick) return ended;
      const last = this.#waiting.findIndex(({ shownTick }) => shownTick === earliest);
      const fromTick = this.#pending?.tick ?? this.endTick;
      for (const [index, frame] of this.#waiting.splice(0, last + 1).entries()) {
        const wanted = Math.round(fromTick + ((earliest - fromTick) * (index + 1)) / (last + 1));
        const decodeTick = Math.max(wanted, this.#pending === null ? this.endTick : this.#pending.tick + 1);
        const isLeading = frame.shownTick < this.#keyTick;
        const next = { ...frame, tick: decodeTick, offsetTicks: frame.shownTick - decodeTick };
        // The publisher's clock stepped back slightly. A frame cannot be shown before it is decoded.
        if (!isLeading) next.offsetTicks = Math.max(0, next.offsetTicks);
        ended.push(...this.#add(next, false).ended);
      }
    }
  }

  /** Returns the presentation time of the waiting frame that is shown first. */
  #earliestTick(): number {
    return Math.min(...this.#waiting.map(({ shownTick }) => shownTick));
  }

  /** Repeats the last keyframe up to a time on the timeline, in ms, as far as whole repetitions fit. */
  hold(mediaMs: number): ShownOutput[] {
    const outputs: ShownOutput[] = [];
    const untilTick = mediaMs * TICKS_PER_MS;
    for (;;) {
      const tick = this.#shownEndTick();
      if (this.#lastKey.length === 0 || tick + HELD_FRAME_TICKS > untilTick) return outputs;
      const isNext = !this.#hasSegment || tick - this.#segmentTick >= HELD_SEGMENT_TICKS;
      outputs.push(this.#holdUntil(tick + HELD_FRAME_TICKS, isNext));
    }
  }

  /**
   * Ends the open segment. The frame decoded last may not be the one shown last. It lasts until all frames have been
   * shown, so that later media does not begin earlier. A repeated keyframe lasts until `heldUntilMs`.
   */
  end(heldUntilMs: number): PackagerOutput {
    if (!this.#hasSegment) return { ended: [], segment: null, cut: null };
    const ended = this.#release(Number.POSITIVE_INFINITY);
    const heldTick = Math.round(heldUntilMs * TICKS_PER_MS);
    const held = this.#isHeld && heldTick > this.#heldTick ? this.#holdUntil(heldTick, false).held : [];
    const tick = this.#shownEndTick();
    const output: PackagerOutput = { ended: [...ended, ...held, ...this.#write(tick)], segment: null, cut: null };
    output.ended.push(...this.#endPart());
    output.segment = this.#writer.endSegment();
    this.#pending = null;
    this.#hasSegment = false;
    this.#isHeld = false;
    this.#segmentTick = tick;
    return output;
  }

  /** Returns the tick at which all frames so far have been shown. */
  #shownEndTick(): number {
    const frameTicks = Math.round(this.#frameTicks || Math.min(this.#lastTicks, MAX_LAST_FRAME_TICKS));
    const waiting = this.#waiting.map(({ shownTick }) => shownTick + frameTicks);
    return Math.max(this.endTick, this.#shownTick, this.endTick + (this.#pending?.offsetTicks ?? 0), ...waiting);
  }

  /** Repeats the last keyframe as a separate part, which ends immediately. */
  #holdUntil(endTick: number, startsSegment: boolean): ShownOutput {
    const ended = this.#release(Number.POSITIVE_INFINITY);
    const tick = this.#shownEndTick();
    const output = this.#add({ tick, offsetTicks: 0, isKey: true, bytes: this.#lastKey }, startsSegment);
    // The previous part may still be open.
    output.ended.unshift(...ended);
    output.ended.push(...(startsSegment ? [] : this.#endPart()));
    const held = [...this.#write(endTick), ...this.#endPart()];
    // The next repetition begins a segment, but received frames may still belong to this one.
    const mayBeLast = endTick - this.#segmentTick >= HELD_SEGMENT_TICKS;
    output.held.push(...held.map((part) => ({ ...part, mayBeLast })));
    this.#pending = null;
    this.#isHeld = true;
    this.#heldTick = endTick;
    return output;
  }

  #endPart(): LivePart[] {
    const part = this.#writer.endPart();
    return part === null ? [] : [part];
  }

  #add(frame: Pending, startsSegment: boolean): ShownOutput {
    const output: PackagerOutput = { ended: this.#write(frame.tick), segment: null, cut: null };
    if (frame.isKey) [this.#lastKey, this.#keyTick] = [frame.bytes, frame.tick + frame.offsetTicks];
    if (startsSegment) this.#cut(frame.tick, output);
    this.#pending = frame;
    const { tick, offsetTicks, isKey, bytes } = frame;
    return { ...output, shown: { shownTick: tick + offsetTicks, isKey, bytes }, held: [] };
  }

  #mayCut(isKey: boolean, tick: number): boolean {
    if (!this.#hasSegment) return isKey;
    const sinceCut = tick - this.#segmentTick;
    return (isKey && sinceCut >= this.#shortestTicks(sinceCut)) || sinceCut >= MAX_SEGMENT_TICKS || this.#writer.isFull;
  }

  /**
   * Returns the minimum segment length. A scene cut starts a segment early if the next keyframe may be too late for the
   * target duration.
   */
  #shortestTicks(sinceCut: number): number {
    const targetSec = targetFor(this.#longestGopSec);
    const isLate = targetSec > 0 && sinceCut / VIDEO_TIMESCALE + this.#longestGopSec >= targetSec + 0.5;
    return isLate ? MIN_SCENE_TICKS : MIN_SEGMENT_TICKS;
  }

  #cut(tick: number, output: PackagerOutput): void {
    if (this.#hasSegment) {
      output.ended.push(...this.#endPart());
      output.segment = this.#writer.endSegment();
    }
    this.#hasSegment = true;
    this.#segmentTick = tick;
    output.cut = { segment: this.#writer.segment, tick };
  }

  /** Writes the pending frame, whose end is now known. */
  #write(endTick: number): LivePart[] {
    const frame = this.#pending;
    if (frame === null) return [];
    const durationTicks = Math.min(Math.max(1, endTick - frame.tick), MAX_FRAME_TICKS);
    this.#lastTicks = durationTicks;
    const shownTicks = Math.min(durationTicks, Math.round(this.#frameTicks) || durationTicks);
    this.#shownTick = Math.max(this.#shownTick, frame.tick + frame.offsetTicks + shownTicks);
    return this.#writer.add(frame.tick, {
      durationTicks,
      sizeBytes: frame.bytes.length,
      compositionOffsetTicks: frame.offsetTicks,
      isSync: frame.isKey,
      bytes: frame.bytes,
    });
  }

  #snap(ticks: number): number {
    const grid = this.#gridTick + this.#frameTicks;
    this.#gridTick = this.#frameTicks > 0 && Math.abs(ticks - grid) <= SNAP_TICKS ? grid : ticks;
    return this.#gridTick;
  }
}
