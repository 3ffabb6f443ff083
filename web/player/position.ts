import type { Memory } from './base/memory.ts';

const EACH_MS = 1_000;
/** So close to the end, and so soon after the start, there is nothing to come back to. */
const END_SEC = 3;
const START_SEC = 3;

/** The place where a viewer left a video: kept each second and on leaving, in this browser alone. */
export class Position {
  readonly #memory: Memory;
  readonly #name: string;

  constructor(memory: Memory, mediaId: string) {
    this.#memory = memory;
    this.#name = `position:${mediaId}`;
  }

  /** 0 when there is none. */
  read(): number {
    return this.#memory.readNumber(this.#name) ?? 0;
  }

  /** `counts`: whether what plays is the video itself. */
  follow(video: HTMLVideoElement, counts: () => boolean): void {
    let keptAtMs = 0;
    const keep = () => {
      if (!counts() || !Number.isFinite(video.duration) || !(video.played.length > 0)) return;
      keptAtMs = performance.now();
      const { currentTime, duration } = video;
      if (currentTime < START_SEC || currentTime > duration - END_SEC) this.#memory.forget(this.#name);
      else this.#memory.keep(this.#name, Math.floor(currentTime * 10) / 10);
    };
    video.addEventListener('timeupdate', () => {
      if (performance.now() - keptAtMs >= EACH_MS) keep();
    });
    for (const name of ['pause', 'seeked', 'ended']) video.addEventListener(name, keep);
    window.addEventListener('pagehide', keep);
  }
}
