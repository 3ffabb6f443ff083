import { metrics } from '../../lib/metrics/metrics.ts';
import type { AccessUnit } from '../../media/live/tracks/access-unit.ts';

/** An access unit, and the time of its arrival in ms since 1970. */
type Held = { unit: AccessUnit; atMs: number };

/**
 * Media of one publisher that is held until a period is opened or a second track arrives. Drops the oldest units first
 * if the limit is exceeded.
 */
export class HeldMedia {
  readonly #maxBytes: number;
  #units: Held[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get first(): Held | null {
    return this.#units[0] ?? null;
  }

  add(unit: AccessUnit, atMs: number): void {
    this.#units.push({ unit, atMs });
    this.#bytes += unit.bytes.length;
    while (this.#bytes > this.#maxBytes && this.#units.length > 0) {
      this.dropFirst();
      metrics.liveDropped.inc({ reason: 'not-opened-in-time' });
    }
  }

  dropFirst(): void {
    this.#bytes -= this.#units.shift()?.unit.bytes.length ?? 0;
  }

  clear(): void {
    this.#units = [];
    this.#bytes = 0;
  }

  sortByTime(): void {
    this.#units.sort((one, other) => one.unit.dtsMs - other.unit.dtsMs);
  }
}
