import type { Sample } from '../../cmaf/fragment.ts';
import { TRACK_ID } from '../../cmaf/init-segment.ts';
import { delaySamples, presentationDelayTicks } from '../../cmaf/presentation-delay.ts';
import { type Segment, type SegmentFragment, sealFragments } from '../../cmaf/segment.ts';
import { writeFragmentHead } from '../../cmaf/write-fragment.ts';

/** EXT-X-PART-INF:PART-TARGET of live playlists, in seconds. */
export const PART_TARGET_SEC = 0.26;
/** Maximum duration of a part, in seconds. Publishers' clocks in whole milliseconds need some room below the target. */
const MAX_PART_SEC = 0.2555;
/** The maximum of `sealFragments` for a segment. */
const MAX_PARTS = 256;

/** One partial segment: a separate fragment. */
export type LivePart = {
  kind: 'video' | 'audio';
  segment: number;
  part: number;
  fragment: SegmentFragment;
  durationTicks: number;
  /** Whether it begins with a sync sample. */
  isIndependent: boolean;
};

export type LiveSegment = { kind: 'video' | 'audio'; segment: Segment };

type Frame = Sample & { bytes: Buffer };

/**
 * Collects the frames of one track into parts, and parts into segments. Frames inside a part have no gaps. Ticks of
 * `timescale`.
 */
export class PartWriter {
  readonly #kind: 'video' | 'audio';
  readonly #timescale: number;
  #segment: number;
  #parts: LivePart[] = [];
  #frames: Frame[] = [];
  #baseTick = 0;
  #ticks = 0;

  constructor(kind: 'video' | 'audio', timescale: number, firstSegment: number) {
    this.#kind = kind;
    this.#timescale = timescale;
    this.#segment = firstSegment;
  }

  /** Number of the open segment. */
  get segment(): number {
    return this.#segment;
  }

  /** Adds a frame at `tick`. Returns the part that ended before it, if any. */
  add(tick: number, frame: Frame): LivePart | null {
    const isGap = this.#frames.length > 0 && tick !== this.#baseTick + this.#ticks;
    const isLong = (this.#ticks + frame.durationTicks) / this.#timescale > MAX_PART_SEC;
    const ended = isGap || isLong ? this.endPart() : null;
    if (this.#frames.length === 0) this.#baseTick = tick;
    this.#frames.push(frame);
    this.#ticks += frame.durationTicks;
    return ended;
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
   * Ends the open segment, whose last part has already ended. Returns null if it is empty. The number rises either way.
   */
  endSegment(): LiveSegment | null {
    const parts = this.#parts;
    const number = this.#segment;
    this.#segment += 1;
    this.#parts = [];
    return toSegment(this.#kind, this.#timescale, number, parts);
  }

  /** Discards what is open. The number rises. */
  dropSegment(): void {
    this.#frames = [];
    this.#ticks = 0;
    this.#parts = [];
    this.#segment += 1;
  }

  /** Skips segments: the next frame belongs to `segment`. Nothing may be open. */
  skipTo(segment: number): void {
    this.#segment = Math.max(this.#segment, segment);
  }

  /** Whether the open segment has almost reached its maximum of parts. */
  get isFull(): boolean {
    return this.#parts.length >= MAX_PARTS - 2;
  }

  #seal(index: number): SegmentFragment {
    const samples = this.#frames.map(({ bytes: _, ...sample }) => sample);
    const payload = Buffer.concat(this.#frames.map(({ bytes }) => bytes));
    // As in `sealFragments`: it rises over the timeline, whichever process wrote the segment.
    const sequence = this.#segment * MAX_PARTS + index + 1;
    const delayed = delaySamples(samples, presentationDelayTicks(this.#timescale));
    const head = writeFragmentHead({ sequence, baseTick: this.#baseTick, trackId: TRACK_ID, samples: delayed });
    return { head, payload, baseTick: this.#baseTick, samples };
  }
}

/**
 * Makes a segment of the fragments written before their publisher or process died. Returns null if there are none. The
 * last frame lasts until all frames were shown, as at a regular end.
 */
export function toCutSegment(
  kind: 'video' | 'audio',
  timescale: number,
  number: number,
  fragments: readonly SegmentFragment[],
): LiveSegment | null {
  let tick = 0;
  let shownTick = 0;
  for (const { baseTick, samples } of fragments) {
    tick = baseTick;
    for (const { durationTicks, compositionOffsetTicks } of samples) {
      shownTick = Math.max(shownTick, tick + compositionOffsetTicks + durationTicks);
      tick += durationTicks;
    }
  }
  const parts = fragments.map(({ baseTick, samples, payload }, index) => {
    const isLast = index === fragments.length - 1;
    return { baseTick, payload, samples: isLast ? stretchLast(samples, Math.max(0, shownTick - tick)) : samples };
  });
  const sealed = sealFragments({ number, timescale }, parts);
  const withDurations = sealed.map((fragment) => ({ fragment, durationTicks: sumTicks(fragment.samples) }));
  return toSegment(kind, timescale, number, withDurations);
}

function stretchLast(samples: readonly Sample[], ticks: number): Sample[] {
  return samples.map((sample, at) =>
    at === samples.length - 1 ? { ...sample, durationTicks: sample.durationTicks + ticks } : sample,
  );
}

function sumTicks(samples: readonly Sample[]): number {
  return samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
}

/** Makes a segment of parts. Returns null if there are none. */
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
