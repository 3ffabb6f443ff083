import { runInTurns } from '../../lib/run-in-turns.ts';
import type { EdgeLimits } from '../edge-deps.ts';
import { BufferPool } from '../objects/buffer-pool.ts';
import type { ObjectWindow } from '../objects/object-part.ts';
import type { ObjectSender } from '../objects/object-sender.ts';
import { type LentBytes, SharedBytes } from '../objects/shared-bytes.ts';

/**
 * A request for the encrypted bytes of a window. `name` identifies these bytes, and is null if they are not worth
 * caching. `encrypt` receives the clear bytes in a buffer with `beforeBytes` and `behindBytes` of free space around
 * them. It returns a part of that buffer or a new one.
 */
export type ProtectedWindow = {
  name: string | null;
  window: ObjectWindow;
  beforeBytes: number;
  behindBytes: number;
  encrypt(room: Buffer): Generator<undefined, Buffer>;
};

/** A request for only the encrypted size of a window. */
export type MeasuredWindow = { window: ObjectWindow; measure(clear: Buffer): number };

const POOLED_BYTES = 32 * 2 ** 20;

/** Encrypts stored bytes while serving them. `SharedBytes` describes the cache and its limits. */
export class ProtectedObjects {
  readonly #objects: Pick<ObjectSender, 'readInto'>;
  readonly #shared: SharedBytes;

  constructor(objects: Pick<ObjectSender, 'readInto'>, limits: EdgeLimits) {
    this.#objects = objects;
    const bounds = {
      layer: 'encrypted-object',
      maxBytes: limits.protectedBytes,
      keptBytes: limits.protectedCacheBytes,
    };
    this.#shared = new SharedBytes(bounds, new BufferPool(POOLED_BYTES));
  }

  /**
   * Returns encrypted bytes, which the caller must release. Throws `Refused` (`unavailable`) while too many bytes are
   * in use.
   */
  lend(wanted: ProtectedWindow, leave: () => AbortSignal): Promise<LentBytes> {
    const { name, window, beforeBytes, behindBytes, encrypt } = wanted;
    const make = async (take: (sizeBytes: number) => Buffer) => {
      const room = take(beforeBytes + window.sizeBytes + behindBytes);
      await this.#objects.readInto(room.subarray(beforeBytes, beforeBytes + window.sizeBytes), window);
      // Yields, so that other viewers do not wait while a large segment is encrypted.
      return runInTurns(encrypt(room));
    };
    return this.#shared.lend({ name, sizeBytes: window.sizeBytes, make }, leave);
  }

  /**
   * Returns the size of the encrypted bytes. Throws the same errors as `lend`, because it must read the clear bytes.
   */
  async measure({ window, measure }: MeasuredWindow, leave: () => AbortSignal): Promise<number> {
    const make = async (take: (sizeBytes: number) => Buffer) => {
      const clear = take(window.sizeBytes);
      await this.#objects.readInto(clear, window);
      return clear;
    };
    const { bytes, release } = await this.#shared.lend({ name: null, sizeBytes: window.sizeBytes, make }, leave);
    try {
      return measure(bytes);
    } finally {
      release();
    }
  }
}
