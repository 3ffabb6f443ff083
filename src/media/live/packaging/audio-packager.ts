import type { AccessUnit, TrackConfig } from '../tracks/access-unit.ts';
import { type LivePart, type LiveSegment, PartWriter } from './part-writer.ts';

/** Times are rebuilt from the count of samples unless the publisher's clock says this much else. */
const LARGEST_DRIFT_SEC = 0.05;

export type AudioOutput = { ended: LivePart[]; segments: LiveSegment[] };

/**
 * Cuts audio into parts, and into segments where `cutAt` says. A frame belongs to the segment in which it begins.
 */
export class AudioPackager {
  readonly #writer: PartWriter;
  readonly #rate: number;
  readonly #frameTicks: number;
  readonly #boundaries: number[] = [];
  #nextTick: number | null = null;
  #isStarted = false;

  constructor(config: TrackConfig, firstSegment: number) {
    this.#writer = new PartWriter('audio', config.timescale, firstSegment);
    this.#rate = config.timescale;
    this.#frameTicks = config.frameTicks;
  }

  /** The number of the open segment. */
  get segment(): number {
    return this.#writer.segment;
  }

  /** Where the last frame ends, ms on the timeline; 0 before the first. */
  get endMs(): number {
    return ((this.#nextTick ?? 0) * 1000) / this.#rate;
  }

  /** From this time on frames belong to the next segment, ms on the timeline. */
  cutAt(mediaMs: number): void {
    this.#boundaries.push(Math.round((mediaMs * this.#rate) / 1000));
  }

  /** Takes the next frame; `mediaMs` is its time on the timeline. */
  push(unit: AccessUnit, mediaMs: number): AudioOutput {
    const output: AudioOutput = { ended: [], segments: [] };
    const tick = this.#place(mediaMs);
    if (tick === null) return output;
    this.#cross(tick, output);
    // It begins before the first segment does.
    if (!this.#isStarted) return output;
    const part = this.#writer.add(tick, {
      durationTicks: this.#frameTicks,
      sizeBytes: unit.bytes.length,
      compositionOffsetTicks: 0,
      isSync: true,
      bytes: unit.bytes,
    });
    if (part !== null) output.ended.push(part);
    this.#nextTick = tick + this.#frameTicks;
    return output;
  }

  /** Ends what is open; the next frame belongs to `nextSegment`. */
  end(nextSegment: number): AudioOutput {
    const output: AudioOutput = { ended: [], segments: [] };
    if (this.#isStarted) this.#endSegment(output);
    this.#boundaries.length = 0;
    this.#isStarted = false;
    this.#writer.skipTo(nextSegment);
    return output;
  }

  /** Ends segments up to the one in which the frame begins. */
  #cross(tick: number, output: AudioOutput): void {
    for (
      let next = this.#boundaries[0];
      next !== undefined && tick + this.#frameTicks / 2 >= next;
      next = this.#boundaries[0]
    ) {
      this.#boundaries.shift();
      // The first boundary of a run is where it begins.
      if (this.#isStarted) this.#endSegment(output);
      this.#isStarted = true;
    }
    if (this.#writer.isFull) this.#endSegment(output);
  }

  #endSegment(output: AudioOutput): void {
    const part = this.#writer.endPart();
    if (part !== null) output.ended.push(part);
    const segment = this.#writer.endSegment();
    if (segment !== null) output.segments.push(segment);
  }

  /** The frame's tick; null for one that lies before what was written. */
  #place(mediaMs: number): number | null {
    const said = Math.round((mediaMs * this.#rate) / 1000);
    if (this.#nextTick === null) return Math.max(0, said);
    const drift = (said - this.#nextTick) / this.#rate;
    if (Math.abs(drift) <= LARGEST_DRIFT_SEC) return this.#nextTick;
    return drift < 0 ? null : said;
  }
}
