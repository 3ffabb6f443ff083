/** Minimum time without packets, in ms, after which the clock of a source may have paused. */
const MIN_PAUSE_MS = 500;
/** Minimum delay of packets, in ms, that counts as a pause of the clock. */
const MIN_SHIFT_MS = 250;
/** Time over which packets are observed before a pause of the clock is accepted, in ms. */
const OBSERVED_MS = 200;
const MAX_HELD_PACKETS = 64;
/** Minimum share of the observed time that packets catch up if the network has held them back. */
const MIN_CATCH_UP_SHARE = 0.25;
/** Weight of a transit time that is longer than the usual one. A shorter one replaces it immediately. */
const RISE_WEIGHT = 0.01;

/** Packets to process now. `shiftMs` must be added to the times of these packets and of all later ones. */
export type Admitted<T> = { packets: T[]; shiftMs: number };

/**
 * Detects that the clock of a source has paused while it sent nothing. A browser whose microphone was removed and
 * restored continues its RTP timestamps as if no time had passed, and tells their true time only in its next sender
 * report, up to five seconds later. After a pause, this class holds packets that seem late, for up to 0.2 s: the
 * network sends late packets faster than they are played, but a source does not.
 */
export class PauseWatch<T> {
  /** Usual difference between arrival time and packet time, in ms. Null before the first packet. */
  #usualMs: number | null = null;
  #arrivedMs = Number.NEGATIVE_INFINITY;
  #held: { packet: T; arrivedMs: number; transitMs: number }[] = [];

  /** `packetMs` is the time of the packet on the clock of the source, in ms. */
  admit(packet: T, packetMs: number, arrivedMs: number): Admitted<T> {
    const transitMs = arrivedMs - packetMs;
    const lateMs = transitMs - (this.#usualMs ?? transitMs);
    const isAfterPause = arrivedMs - this.#arrivedMs >= MIN_PAUSE_MS;
    this.#arrivedMs = arrivedMs;
    // Less than 0.2 s of audio arrived between two pauses, which does not show how far the clock is behind.
    if (isAfterPause) this.#held = [];
    if (isAfterPause && lateMs < -MIN_SHIFT_MS) return { packets: [packet], shiftMs: this.#shift(lateMs) };
    if (this.#held.length === 0 && !(isAfterPause && lateMs > MIN_SHIFT_MS)) {
      this.#learn(transitMs);
      return { packets: [packet], shiftMs: 0 };
    }
    this.#held.push({ packet, arrivedMs, transitMs });
    if (lateMs <= MIN_SHIFT_MS) return { packets: this.#release(), shiftMs: 0 };
    return this.#judge(arrivedMs, transitMs);
  }

  /** Accepts the times of held packets as they are, because a sender report has set the clock. */
  settle(): void {
    if (this.#held.length > 0) this.#usualMs = null;
  }

  #judge(arrivedMs: number, transitMs: number): Admitted<T> {
    const [first] = this.#held;
    const observedMs = arrivedMs - (first?.arrivedMs ?? arrivedMs);
    if (observedMs < OBSERVED_MS && this.#held.length < MAX_HELD_PACKETS) return { packets: [], shiftMs: 0 };
    const caughtUpMs = (first?.transitMs ?? transitMs) - transitMs;
    const leastMs = Math.min(...this.#held.map((one) => one.transitMs));
    const isPause = observedMs >= OBSERVED_MS && caughtUpMs < MIN_CATCH_UP_SHARE * observedMs;
    return { packets: this.#release(), shiftMs: isPause ? this.#shift(leastMs - (this.#usualMs ?? leastMs)) : 0 };
  }

  #release(): T[] {
    return this.#held.splice(0).map(({ packet }) => packet);
  }

  #shift(shiftMs: number): number {
    if (this.#usualMs !== null) this.#usualMs += shiftMs;
    return shiftMs;
  }

  #learn(transitMs: number): void {
    const usualMs = this.#usualMs ?? transitMs;
    this.#usualMs = Math.min(transitMs, usualMs + (transitMs - usualMs) * RISE_WEIGHT);
  }
}
