import type { BitrateSample } from '../../catalog/live/live-stream.ts';

/** Counts the bytes that a publisher sends, for one sample per second. */
export class BitrateMeter {
  #bytes = { video: 0, audio: 0 };
  #frames = 0;
  #sinceMs = Date.now();

  count(kind: 'video' | 'audio', wireBytes: number): void {
    this.#bytes[kind] += wireBytes;
    if (kind === 'video') this.#frames += 1;
  }

  /** Returns the bitrates since the previous sample, or null if nothing was received. */
  sample(nowMs: number): BitrateSample | null {
    const sec = Math.max(0.1, (nowMs - this.#sinceMs) / 1000);
    const videoBps = Math.round((this.#bytes.video * 8) / sec);
    const audioBps = Math.round((this.#bytes.audio * 8) / sec);
    const fps = Math.round((this.#frames * 100) / sec) / 100;
    this.#bytes = { video: 0, audio: 0 };
    this.#frames = 0;
    this.#sinceMs = nowMs;
    if (videoBps + audioBps === 0) return null;
    return { atMs: nowMs, bitrateBps: videoBps + audioBps, videoBps, audioBps, fps };
  }
}
