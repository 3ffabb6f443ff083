import { type AccessUnit, type TrackConfig, VIDEO_TIMESCALE } from '../tracks/access-unit.ts';
import { type LivePart, type LiveSegment, PartWriter } from './part-writer.ts';

const TICKS_PER_MS = VIDEO_TIMESCALE / 1000;
/** A keyframe sooner than this after the last cut begins no segment. */
const SHORTEST_SEGMENT_TICKS = VIDEO_TIMESCALE;
/** Without a keyframe for this long a segment ends all the same. */
const LONGEST_SEGMENT_TICKS = 20 * VIDEO_TIMESCALE;
/** A frame that nothing follows for longer is shown this long. */
const LONGEST_FRAME_TICKS = 10 * VIDEO_TIMESCALE;
/** Without a frame rate the last frame lasts as long as the one before, which may have waited for a slow line. */
const LONGEST_LAST_FRAME_TICKS = VIDEO_TIMESCALE / 5;
const USUAL_FRAME_TICKS = VIDEO_TIMESCALE / 30;
/** While pictures are missing the last keyframe is shown again and again, each time this long: a part of its own. */
const HELD_FRAME_TICKS = VIDEO_TIMESCALE / 4;
const HELD_SEGMENT_TICKS = 2 * VIDEO_TIMESCALE;
/** Publishers round times to whole milliseconds: a frame this near to the encoder's frame rate is on its grid. */
const SNAP_TICKS = 1.5 * TICKS_PER_MS;

/** `cutTick`: a segment begins there, in the same output before whose parts it stands. */
export type PackagerOutput = {
  ended: LivePart[];
  segment: LiveSegment | null;
  cut: { segment: number; tick: number } | null;
};

/** A picture as it came, and when it is shown on the timeline: what else is made of the pictures begins with it. */
export type ShownFrame = { shownTick: number; isKey: boolean; bytes: Buffer };

export type ShownOutput = PackagerOutput & { shown: ShownFrame };

type Pending = { tick: number; offsetTicks: number; isKey: boolean; bytes: Buffer };

/**
 * Cuts the pictures of a publisher into parts, and into segments at its keyframes. Decode times are shifted so that a
 * segment's first frame is decoded when it is shown (tfdt is the keyframe's presentation time). A frame is written when
 * the next one says how long it lasts.
 */
export class VideoPackager {
  readonly #writer: PartWriter;
  readonly #frameTicks: number;
  #shiftTicks = 0;
  #pending: Pending | null = null;
  #segmentTick: number;
  #hasSegment = false;
  #gridTick = 0;
  /** Duration of the frame that was written last. */
  #lastTicks = USUAL_FRAME_TICKS;
  /** Where the picture that is shown last ends. */
  #shownTick = 0;
  #lastKey: Buffer | null = null;
  #isHeld = false;

  constructor(config: TrackConfig, { segment, startTick }: { segment: number; startTick: number }) {
    this.#writer = new PartWriter('video', VIDEO_TIMESCALE, segment);
    this.#frameTicks = config.frameRate > 0 ? VIDEO_TIMESCALE / config.frameRate : 0;
    this.#segmentTick = startTick;
  }

  /** The number of the open segment, or of the next one. */
  get segment(): number {
    return this.#writer.segment;
  }

  /** Where the last frame ends, or the next begins. */
  get endTick(): number {
    if (this.#pending === null) return this.#segmentTick;
    return this.#pending.tick + Math.round(this.#frameTicks || Math.min(this.#lastTicks, LONGEST_LAST_FRAME_TICKS));
  }

  /**
   * Takes the next frame in decode order; `mediaMs` is its decode time on the timeline. Null for one that refers to
   * pictures from before a held one: after a gap pictures go on with a keyframe.
   */
  push(unit: AccessUnit, mediaMs: number): ShownOutput | null {
    if (this.#isHeld && !unit.isKey) return null;
    this.#isHeld = false;
    if (unit.isKey) this.#lastKey = unit.bytes;
    const offsetTicks = Math.round((unit.ptsMs - unit.dtsMs) * TICKS_PER_MS);
    const isFirst = this.#pending === null && !this.#hasSegment;
    const plain = this.#snap(mediaMs * TICKS_PER_MS);
    // Only a keyframe that may begin a segment sets the shift.
    const startsSegment = this.#mayCut(unit.isKey, plain + (unit.isKey ? offsetTicks : this.#shiftTicks));
    if (startsSegment && unit.isKey) this.#shiftTicks = offsetTicks;
    const wanted = Math.round(plain + this.#shiftTicks);
    const tick = Math.max(wanted, isFirst ? this.#segmentTick : (this.#pending?.tick ?? -1) + 1);
    const next = { tick, offsetTicks: Math.round(plain + offsetTicks) - tick, isKey: unit.isKey, bytes: unit.bytes };
    return this.#add(next, startsSegment);
  }

  /** Shows the last keyframe up to a time on the timeline, ms, as far as whole held frames fit. */
  hold(mediaMs: number): ShownOutput[] {
    const outputs: ShownOutput[] = [];
    const untilTick = mediaMs * TICKS_PER_MS;
    for (let bytes = this.#lastKey; bytes !== null && this.#hasSegment; ) {
      const tick = this.#isHeld ? (this.#pending?.tick ?? 0) + HELD_FRAME_TICKS : this.#shownEndTick();
      if (tick + HELD_FRAME_TICKS > untilTick) break;
      this.#isHeld = true;
      outputs.push(
        this.#add({ tick, offsetTicks: 0, isKey: true, bytes }, tick - this.#segmentTick >= HELD_SEGMENT_TICKS),
      );
    }
    return outputs;
  }

  /**
   * Ends what is open. Of reordered pictures the one that is decoded last is not shown last: it lasts until all were
   * shown, so that what follows does not begin before. A held one lasts until `heldUntilMs`.
   */
  end(heldUntilMs: number): PackagerOutput {
    if (!this.#hasSegment) return { ended: [], segment: null, cut: null };
    const heldTick = this.#isHeld ? Math.round(heldUntilMs * TICKS_PER_MS) : 0;
    const tick = Math.max(this.#shownEndTick(), heldTick);
    const output: PackagerOutput = { ended: this.#write(tick), segment: null, cut: null };
    const part = this.#writer.endPart();
    if (part !== null) output.ended.push(part);
    output.segment = this.#writer.endSegment();
    this.#pending = null;
    this.#hasSegment = false;
    this.#isHeld = false;
    this.#segmentTick = tick;
    return output;
  }

  /** Where all pictures so far were shown. */
  #shownEndTick(): number {
    return Math.max(this.endTick, this.#shownTick, this.endTick + (this.#pending?.offsetTicks ?? 0));
  }

  #add(frame: Pending, startsSegment: boolean): ShownOutput {
    const output: PackagerOutput = { ended: this.#write(frame.tick), segment: null, cut: null };
    if (startsSegment) this.#cut(frame.tick, output);
    this.#pending = frame;
    const { tick, offsetTicks, isKey, bytes } = frame;
    return { ...output, shown: { shownTick: tick + offsetTicks, isKey, bytes } };
  }

  #mayCut(isKey: boolean, tick: number): boolean {
    if (!this.#hasSegment) return isKey;
    const sinceCut = tick - this.#segmentTick;
    return (isKey && sinceCut >= SHORTEST_SEGMENT_TICKS) || sinceCut >= LONGEST_SEGMENT_TICKS || this.#writer.isFull;
  }

  #cut(tick: number, output: PackagerOutput): void {
    if (this.#hasSegment) {
      const part = this.#writer.endPart();
      if (part !== null) output.ended.push(part);
      output.segment = this.#writer.endSegment();
    }
    this.#hasSegment = true;
    this.#segmentTick = tick;
    output.cut = { segment: this.#writer.segment, tick };
  }

  /** Writes the frame that was waiting for its end. */
  #write(endTick: number): LivePart[] {
    const frame = this.#pending;
    if (frame === null) return [];
    const durationTicks = Math.min(Math.max(1, endTick - frame.tick), LONGEST_FRAME_TICKS);
    this.#lastTicks = durationTicks;
    this.#shownTick = Math.max(this.#shownTick, frame.tick + frame.offsetTicks + durationTicks);
    const part = this.#writer.add(frame.tick, {
      durationTicks,
      sizeBytes: frame.bytes.length,
      compositionOffsetTicks: frame.offsetTicks,
      isSync: frame.isKey,
      bytes: frame.bytes,
    });
    return part === null ? [] : [part];
  }

  #snap(ticks: number): number {
    const grid = this.#gridTick + this.#frameTicks;
    this.#gridTick = this.#frameTicks > 0 && Math.abs(ticks - grid) <= SNAP_TICKS ? grid : ticks;
    return this.#gridTick;
  }
}
