import type { Sample } from '../../cmaf/fragment.ts';
import { TRACK_ID } from '../../cmaf/init-segment.ts';
import { type Segment, type SegmentFragment, sealFragments } from '../../cmaf/segment.ts';
import { writeFragmentHead } from '../../cmaf/write-fragment.ts';

/** EXT-X-PART-INF:PART-TARGET of live playlists, in seconds. */
export const PART_TARGET_SEC = 0.26;
/** PART-HOLD-BACK: the minimum (RFC 8216bis section 4.4.3.8). */
export const PART_HOLD_BACK_SEC = 3 * PART_TARGET_SEC;
/**
 * Maximum duration of a part, in seconds. It is below the target, because publishers' clocks are rounded to whole
 * milliseconds.
 */
const MAX_PART_SEC = 0.2555;
/**
 * Maximum duration of the frame shown last, in seconds. Its measured duration may be too long because of a slow
 * connection.
 */
const MAX_LAST_FRAME_SEC = 0.2;
/** Maximum number of parts of a segment, same as in `sealFragments`. */
const MAX_PARTS = 256;

/** One partial segment: a separate fragment. */
export type LivePart = {
  kind: 'video' | 'audio';
  segment: number;
  part: number;
  fragment: SegmentFragment;
  durationTicks: number;
  /** Whether the part begins with a sync sample. */
  isIndependent: boolean;
  /** Whether the segment possibly ends with this part. Playlists then announce no further part of it. */
  mayBeLast?: boolean;
};

export type LiveSegment = { kind: 'video' | 'audio'; segment: Segment };

type Frame = Sample & { bytes: Buffer };

/**
 * Collects the frames of one track into parts, and parts into segments. A part has no gaps. Times are in ticks of
 * `timescale`.
 */
export class PartWriter {
  readonly #kind: 'video' | 'audio';
  readonly #timescale: number;
  readonly #frameTicks: number;
  #segment: number;
  #parts: LivePart[] = [];
  #frames: Frame[] = [];
  #baseTick = 0;
  #ticks = 0;

  /** `frameTicks`: the usual duration of a frame, 0 if unknown. A part ends with the last frame that fits. */
  constructor(
    { kind, timescale, frameTicks }: { kind: 'video' | 'audio'; timescale: number; frameTicks: number },
    firstSegment: number,
  ) {
    this.#kind = kind;
    this.#timescale = timescale;
    this.#frameTicks = frameTicks;
    this.#segment = firstSegment;
  }

  /** Number of the open segment. */
  get segment(): number {
    return this.#segment;
  }

  /** Adds a frame at `tick`. Returns the parts that end before or with this frame. */
  add(tick: number, frame: Frame): LivePart[] {
    const isGap = this.#frames.length > 0 && tick !== this.#baseTick + this.#ticks;
    const before = isGap || this.#isTooLong(frame.durationTicks) ? this.endPart() : null;
    if (this.#frames.length === 0) this.#baseTick = tick;
    this.#frames.push(frame);
    this.#ticks += frame.durationTicks;
    const whole = this.#frameTicks > 0 && this.#isTooLong(this.#frameTicks) ? this.endPart() : null;
    return [before, whole].filter((part) => part !== null);
  }

  #isTooLong(moreTicks: number): boolean {
    return (this.#ticks + moreTicks) / this.#timescale > MAX_PART_SEC;
  }

  endPart(): LivePart | null {
    const [first] = this.#frames;
    if (first === undefined) return null;
    const index = this.#parts.length;
    if (index >= MAX_PARTS) throw new Error(`Expected at most ${MAX_PARTS} parts in a segment.`);
    const part: LivePart = {
      kind: this.#kind,
      segment: this.#segment,
      part: index,
      fragment: this.#seal(index),
      durationTicks: this.#ticks,
      isIndependent: first.isSync,
    };
    this.#parts.push(part);
    this.#frames = [];
    this.#ticks = 0;
    return part;
  }

  /**
   * Ends the open segment, whose last part must have ended. Returns null if the segment is empty. The segment number
   * increases in both cases.
   */
  endSegment(): LiveSegment | null {
    const parts = this.#parts;
    const number = this.#segment;
    this.#segment += 1;
    this.#parts = [];
    return toSegment(this.#kind, this.#timescale, number, parts);
  }

  /** Discards the open segment. The segment number increases. */
  dropSegment(): void {
    this.#frames = [];
    this.#ticks = 0;
    this.#parts = [];
    this.#segment += 1;
  }

  /** Skips segments, so that the next frame belongs to `segment`. No segment may be open. */
  skipTo(segment: number): void {
    this.#segment = Math.max(this.#segment, segment);
  }

  /** Whether the open segment almost has the maximum number of parts. */
  get isFull(): boolean {
    return this.#parts.length >= MAX_PARTS - 2;
  }

  #seal(index: number): SegmentFragment {
    const samples = this.#frames.map(({ bytes: _, ...sample }) => sample);
    const payload = Buffer.concat(this.#frames.map(({ bytes }) => bytes));
    // As in `sealFragments`, the number increases over the timeline, whichever process wrote the segment.
    const sequence = this.#segment * MAX_PARTS + index + 1;
    const head = writeFragmentHead({ sequence, baseTick: this.#baseTick, trackId: TRACK_ID, samples });
    return { head, payload, baseTick: this.#baseTick, samples, delayTicks: 0 };
  }
}

/**
 * Creates a segment from the fragments written before a publisher or process was interrupted. Returns null if there are
 * none. The last frame lasts until all frames have been shown, as in a regular segment.
 */
export function toCutSegment(
  kind: 'video' | 'audio',
  timescale: number,
  number: number,
  fragments: readonly SegmentFragment[],
): LiveSegment | null {
  const shown: Shown[] = [];
  let tick = 0;
  for (const { baseTick, samples } of fragments) {
    tick = baseTick;
    for (const { durationTicks, compositionOffsetTicks } of samples) {
      shown.push({ tick: tick + compositionOffsetTicks, durationTicks });
      tick += durationTicks;
    }
  }
  const shownTick = shownEndTick(shown, timescale);
  const parts = fragments.map(({ head: _, ...part }, index) => {
    const isLast = index === fragments.length - 1;
    return { ...part, samples: isLast ? stretchLast(part.samples, Math.max(0, shownTick - tick)) : part.samples };
  });
  const sealed = sealFragments({ number, timescale }, parts);
  const withDurations = sealed.map((fragment) => ({ fragment, durationTicks: sumTicks(fragment.samples) }));
  return toSegment(kind, timescale, number, withDurations);
}

/** Presentation time of a frame, and the interval to the next frame in decode order. */
type Shown = { tick: number; durationTicks: number };

/**
 * Returns the end of the frame shown last. If other frames are decoded after it, it lasts as long as the frame shown
 * before it, because intervals in decode order differ from intervals in presentation order.
 */
function shownEndTick(decoded: readonly Shown[], timescale: number): number {
  const [last, before] = decoded.toSorted((one, other) => other.tick - one.tick);
  if (last === undefined) return 0;
  if (before === undefined || last === decoded.at(-1)) return last.tick + last.durationTicks;
  return last.tick + Math.min(last.tick - before.tick, MAX_LAST_FRAME_SEC * timescale);
}

function stretchLast(samples: readonly Sample[], ticks: number): Sample[] {
  return samples.map((sample, index) =>
    index === samples.length - 1 ? { ...sample, durationTicks: sample.durationTicks + ticks } : sample,
  );
}

function sumTicks(samples: readonly Sample[]): number {
  return samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
}

/** Creates a segment from parts. Returns null if there are none. */
function toSegment(
  kind: 'video' | 'audio',
  timescale: number,
  number: number,
  parts: readonly Pick<LivePart, 'fragment' | 'durationTicks'>[],
): LiveSegment | null {
  const [first] = parts;
  if (first === undefined) return null;
  const durationTicks = parts.reduce((sum, part) => sum + part.durationTicks, 0);
  const fragments = parts.map(({ fragment }) => fragment);
  return { kind, segment: { number, timescale, startTick: first.fragment.baseTick, durationTicks, fragments } };
}
