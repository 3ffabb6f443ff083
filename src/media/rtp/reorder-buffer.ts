import type { RtpPacket } from './rtp-packet.ts';

/** A packet in order. `isAfterLoss` means that packets before it are permanently lost. */
export type OrderedPacket = { packet: RtpPacket; isAfterLoss: boolean };

/** Maximum wait for a missing packet, in ms. */
const WAIT_MS = 250;
const MAX_QUEUED_PACKETS = 512;
/** Maximum step of the sequence number. A packet beyond it belongs to another stream. */
const MAX_SEQUENCE_STEP = 3_000;
const MAX_MISSING_PACKETS = 64;

/**
 * Sorts the packets of one source by sequence number (RFC 3550 appendix A.1). Waits for missing packets, up to a
 * maximum time and number of packets. Drops duplicate and late packets.
 */
export class ReorderBuffer {
  readonly #waiting = new Map<number, { packet: RtpPacket; atMs: number }>();
  #next: number | null = null;
  #isAfterLoss = false;

  get waiting(): number {
    return this.#waiting.size;
  }

  push(packet: RtpPacket, nowMs: number): OrderedPacket[] {
    this.#next ??= packet.sequence;
    const ahead = distance(this.#next, packet.sequence);
    if (Math.abs(ahead) > MAX_SEQUENCE_STEP) {
      this.#waiting.clear();
      this.#next = packet.sequence;
      this.#isAfterLoss = true;
    } else if (ahead < 0) return [];
    this.#waiting.set(packet.sequence, { packet, atMs: nowMs });
    return this.#release(nowMs);
  }

  /** Returns the missing sequence numbers before received ones, oldest first. */
  missing(): number[] {
    if (this.#next === null || this.#waiting.size === 0) return [];
    const next = this.#next;
    const last = Math.max(...[...this.#waiting.keys()].map((sequence) => distance(next, sequence)));
    const missing: number[] = [];
    for (let step = 0; step < last && missing.length < MAX_MISSING_PACKETS; step += 1) {
      const sequence = (next + step) & 0xffff;
      if (!this.#waiting.has(sequence)) missing.push(sequence);
    }
    return missing;
  }

  #release(nowMs: number): OrderedPacket[] {
    const ordered: OrderedPacket[] = [];
    for (;;) {
      // `push` has set `#next`.
      const next = this.#next ?? 0;
      const found = this.#waiting.get(next);
      if (found !== undefined) {
        this.#waiting.delete(next);
        this.#next = (next + 1) & 0xffff;
        ordered.push({ packet: found.packet, isAfterLoss: this.#isAfterLoss });
        this.#isAfterLoss = false;
      } else if (this.#isOverdue(nowMs)) {
        this.#isAfterLoss = true;
        this.#next = this.#nearest(next);
      } else return ordered;
    }
  }

  #isOverdue(nowMs: number): boolean {
    if (this.#waiting.size > MAX_QUEUED_PACKETS) return true;
    for (const { atMs } of this.#waiting.values()) if (nowMs - atMs > WAIT_MS) return true;
    return false;
  }

  #nearest(from: number): number {
    const steps = [...this.#waiting.keys()].map((sequence) => distance(from, sequence));
    return (from + Math.min(...steps)) & 0xffff;
  }
}

/** Returns the signed difference between two 16-bit numbers in the shorter direction. */
function distance(from: number, to: number): number {
  return ((to - from + 0x8000) & 0xffff) - 0x8000;
}
