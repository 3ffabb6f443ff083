import type { Db, MediaKey } from '../../catalog/db.ts';
import { recordStill, stillKey } from '../../catalog/live/still-store.ts';
import { makeStill } from '../../media/live/run-still.ts';
import type { Storage } from '../../ports/storage.ts';

/** A still of each stream at most this often. */
const EVERY_MS = 10_000;

type Deps = { db: Db; storage: Storage; report(error: Error): void };

/** A keyframe at the beginning of a fragment, and when it was shown. */
export type Keyframe = { init: Buffer; fragment: Buffer; wallMs: number };

/** Makes stills of streams from their keyframes, one at a time: a busy machine makes fewer. */
export class StillMaker {
  readonly #deps: Deps;
  readonly #lastMs = new Map<string, number>();
  readonly #closing = new AbortController();
  #isBusy = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  offer(key: MediaKey, keyframe: Keyframe): void {
    const nowMs = Date.now();
    if (this.#isBusy || nowMs - (this.#lastMs.get(key.mediaId) ?? 0) < EVERY_MS || this.#closing.signal.aborted) return;
    this.#lastMs.set(key.mediaId, nowMs);
    this.#isBusy = true;
    this.#make(key, keyframe)
      .catch((error: Error) => {
        if (!this.#closing.signal.aborted) this.#deps.report(new Error('A still could not be made.', { cause: error }));
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  forget(streamId: string): void {
    this.#lastMs.delete(streamId);
  }

  close(): void {
    this.#closing.abort();
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
