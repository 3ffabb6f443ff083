import type { Db, MediaKey } from '../../catalog/db.ts';
import { recordStill, stillKey } from '../../catalog/live/viewing/still-store.ts';
import { makeStill } from '../../media/live/recording/run-still.ts';
import type { Storage } from '../../ports/storage.ts';

/** Minimum interval between the stills of a stream, in ms. */
const EVERY_MS = 10_000;
/**
 * Maximum fraction of one core's time. Starting a decoder needs as much CPU time as packaging ten seconds of the
 * stream.
 */
const MAX_SHARE = 0.2;
/** Weight of the last run in the running mean of the durations. */
const NEWEST_WEIGHT = 0.2;

type Deps = { db: Db; storage: Storage; report(error: Error): void };

/** A fragment that begins with a keyframe, and the display time of that keyframe. */
export type Keyframe = { init: Buffer; fragment: Buffer; wallMs: number };

/**
 * Makes stills of streams from their keyframes, one at a time and for at most a fifth of the time. With many streams,
 * or on a busy machine, each stream gets fewer stills.
 */
export class StillMaker {
  readonly #deps: Deps;
  readonly #lastMs = new Map<string, number>();
  readonly #closing = new AbortController();
  #isBusy = false;
  /** Running mean of the duration of a run, in ms. */
  #meanMs = 0;
  #restsUntilMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  offer(key: MediaKey, keyframe: Keyframe): void {
    const nowMs = Date.now();
    const sinceMs = nowMs - (this.#lastMs.get(key.mediaId) ?? 0);
    const everyMs = Math.max(EVERY_MS, (this.#lastMs.size * this.#meanMs) / MAX_SHARE);
    if (this.#isBusy || nowMs < this.#restsUntilMs || sinceMs < everyMs || this.#closing.signal.aborted) return;
    this.#lastMs.set(key.mediaId, nowMs);
    this.#isBusy = true;
    this.#make(key, keyframe)
      .catch((error: Error) => {
        if (!this.#closing.signal.aborted)
          this.#deps.report(new Error('Could not create a still of a live stream.', { cause: error }));
      })
      .finally(() => {
        this.#isBusy = false;
        this.#rest(Date.now() - nowMs);
      });
  }

  forget(streamId: string): void {
    this.#lastMs.delete(streamId);
  }

  close(): void {
    this.#closing.abort();
  }

  #rest(tookMs: number): void {
    this.#meanMs = this.#meanMs === 0 ? tookMs : this.#meanMs + NEWEST_WEIGHT * (tookMs - this.#meanMs);
    this.#restsUntilMs = Date.now() + tookMs * (1 / MAX_SHARE - 1);
  }

  async #make(key: MediaKey, { init, fragment, wallMs }: Keyframe): Promise<void> {
    const { signal } = this.#closing;
    const jpeg = await makeStill(init, fragment, signal);
    if (jpeg === null) return;
    const object = stillKey(key, wallMs);
    await this.#deps.storage.put(object, jpeg, { contentType: 'image/jpeg' }, signal);
    await recordStill(this.#deps.db, { streamId: key.mediaId, atMs: wallMs, key: object, sizeBytes: jpeg.length });
  }
}
