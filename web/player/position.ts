import type { Memory } from './base/memory.ts';

const EACH_MS = 1_000;
/** Minimum time between a stored position and the start or the end of the video, in seconds. */
const END_SEC = 3;
const START_SEC = 3;

/** The position where a viewer left a video. It is stored each second and on leaving, only in this browser. */
export class Position {
  readonly #memory: Memory;
  readonly #name: string;

  constructor(memory: Memory, mediaId: string) {
    this.#memory = memory;
    this.#name = `position:${mediaId}`;
  }

  /** Returns the stored position in seconds, or 0 if there is none. */
  read(): number {
    return this.#memory.readNumber(this.#name) ?? 0;
  }

  /** Stores the position during playback. `counts` returns whether the video itself is playing. */
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
