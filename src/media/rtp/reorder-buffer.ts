import type { RtpPacket } from './rtp-packet.ts';

/** A packet in its place; `isAfterLoss`: packets before it will not come any more. */
export type OrderedPacket = { packet: RtpPacket; isAfterLoss: boolean };

/** How long a missing packet is waited for. */
const WAIT_MS = 250;
const MOST_WAITING = 512;
/** A step of the sequence beyond this is another stream's. */
const LARGEST_STEP = 3_000;
const MOST_MISSING = 64;

/**
 * Puts the packets of one source in the order of their numbers (RFC 3550 appendix A.1). What is missing is waited for,
 * for a bounded time and number of packets. Packets that come twice or too late are left out.
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
    if (Math.abs(ahead) > LARGEST_STEP) {
      this.#waiting.clear();
      this.#next = packet.sequence;
      this.#isAfterLoss = true;
    } else if (ahead < 0) return [];
    this.#waiting.set(packet.sequence, { packet, atMs: nowMs });
    return this.#release(nowMs);
  }

  /** Numbers that are missing before those that are there, the oldest first. */
  missing(): number[] {
    if (this.#next === null || this.#waiting.size === 0) return [];
    const next = this.#next;
    const last = Math.max(...[...this.#waiting.keys()].map((sequence) => distance(next, sequence)));
    const missing: number[] = [];
    for (let step = 0; step < last && missing.length < MOST_MISSING; step += 1) {
      const sequence = (next + step) & 0xffff;
      if (!this.#waiting.has(sequence)) missing.push(sequence);
    }
    return missing;
  }

  #release(nowMs: number): OrderedPacket[] {
    const ordered: OrderedPacket[] = [];
    for (;;) {
      // `push` set it.
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
    if (this.#waiting.size > MOST_WAITING) return true;
    for (const { atMs } of this.#waiting.values()) if (nowMs - atMs > WAIT_MS) return true;
    return false;
  }

  #nearest(from: number): number {
    const steps = [...this.#waiting.keys()].map((sequence) => distance(from, sequence));
    return (from + Math.min(...steps)) & 0xffff;
  }
}

/** From one number of 16 bits to another, the shorter way. */
function distance(from: number, to: number): number {
  return ((to - from + 0x8000) & 0xffff) - 0x8000;
}
