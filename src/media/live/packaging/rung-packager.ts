import { VIDEO_TIMESCALE } from '../tracks/access-unit.ts';
import { type LivePart, type LiveSegment, PartWriter } from './part-writer.ts';

/** `gaps` are the numbers of source segments that this rung lacks. */
export type RungOutput = { ended: LivePart[]; segments: LiveSegment[]; gaps: number[] };

type Cut = { segment: number; tick: number };
type Pending = { tick: number; isKey: boolean; bytes: Buffer };

/**
 * Cuts the encoded frames of one rung into parts, and into segments at the source's cuts, with the same numbers. Frames
 * arrive in presentation order, so they have no offsets. Times are in ticks of `VIDEO_TIMESCALE`.
 */
export class RungPackager {
  readonly #writer: PartWriter;
  /** Cuts of the source for which no frame has arrived yet. */
  readonly #cuts: Cut[] = [];
  #open: number | null = null;
  #pending: Pending | null = null;

  constructor(firstSegment: number) {
    this.#writer = new PartWriter({ kind: 'video', timescale: VIDEO_TIMESCALE, frameTicks: 0 }, firstSegment);
  }

  /** Announces a segment of the source, whose frames follow later. */
  cut(segment: number, tick: number): void {
    this.#cuts.push({ segment, tick });
  }

  /** Adds the next frame. Drops a frame that is not shown after the previous one. */
  push(tick: number, { isKey, bytes }: { isKey: boolean; bytes: Buffer }): RungOutput {
    const output: RungOutput = { ended: [], segments: [], gaps: [] };
    if (this.#pending !== null && tick <= this.#pending.tick) return output;
    this.#advance(tick, output);
    if (this.#open !== null) this.#pending = { tick, isKey, bytes };
    return output;
  }

  /** Ends the open part and segments. The last frame lasts until `endTick`. */
  end(endTick: number): RungOutput {
    const output: RungOutput = { ended: [], segments: [], gaps: [] };
    this.#passCuts(endTick - 1, output);
    this.#write(endTick, output);
    if (this.#open !== null) this.#close(this.#open, output);
    return output;
  }

  /** Discards all open segments. Returns the numbers of missing and incomplete segments. */
  abort(): number[] {
    const lost = [...(this.#open === null ? [] : [this.#open]), ...this.#cuts.map(({ segment }) => segment)];
    this.#cuts.length = 0;
    this.#open = null;
    this.#pending = null;
    this.#writer.dropSegment();
    return lost;
  }

  /** Writes all media shown before `tick`. */
  #advance(tick: number, output: RungOutput): void {
    this.#passCuts(tick, output);
    this.#write(tick, output);
  }

  /** Ends segments at the cuts up to `tick`. */
  #passCuts(tick: number, output: RungOutput): void {
    for (let next = this.#cuts[0]; next !== undefined && next.tick <= tick; next = this.#cuts[0]) {
      this.#cuts.shift();
      this.#write(next.tick, output);
      if (this.#open !== null) this.#close(this.#open, output);
      this.#open = next.segment;
      this.#writer.skipTo(next.segment);
    }
  }

  #write(endTick: number, output: RungOutput): void {
    const frame = this.#pending;
    if (frame === null) return;
    this.#pending = null;
    const ended = this.#writer.add(frame.tick, {
      durationTicks: Math.max(1, endTick - frame.tick),
      sizeBytes: frame.bytes.length,
      compositionOffsetTicks: 0,
      isSync: frame.isKey,
      bytes: frame.bytes,
    });
    output.ended.push(...ended);
  }

  #close(number: number, output: RungOutput): void {
    this.#open = null;
    const part = this.#writer.endPart();
    if (part !== null) output.ended.push(part);
    const segment = this.#writer.endSegment();
    if (segment === null) output.gaps.push(number);
    else output.segments.push(segment);
  }
}
