import { runInTurns } from '../../lib/run-in-turns.ts';
import type { EdgeLimits } from '../edge-deps.ts';
import { BufferPool } from '../objects/buffer-pool.ts';
import type { ObjectWindow } from '../objects/object-part.ts';
import type { ObjectSender } from '../objects/object-sender.ts';
import { type LentBytes, SharedBytes } from '../objects/shared-bytes.ts';

/**
 * What is wanted: the encrypted form of a window. `name` stands for these very bytes; null for such as nobody asks
 * for twice. `encrypt` works on the clear bytes, read into a buffer with so much free before and behind them, and gives
 * a part of that buffer, or one of its own.
 */
export type ProtectedWindow = {
  name: string | null;
  window: ObjectWindow;
  beforeBytes: number;
  behindBytes: number;
  encrypt(room: Buffer): Generator<undefined, Buffer>;
};

/** A window whose encrypted form is only to be measured. */
export type MeasuredWindow = { window: ObjectWindow; measure(clear: Buffer): number };

const POOLED_BYTES = 32 * 2 ** 20;

/** Encrypts stored bytes while they are served; see `SharedBytes` for what is kept and how much may be under way. */
export class ProtectedObjects {
  readonly #objects: Pick<ObjectSender, 'readInto'>;
  readonly #shared: SharedBytes;

  constructor(objects: Pick<ObjectSender, 'readInto'>, limits: EdgeLimits) {
    this.#objects = objects;
    const bounds = { maxBytes: limits.protectedBytes, keptBytes: limits.protectedCacheBytes };
    this.#shared = new SharedBytes(bounds, new BufferPool(POOLED_BYTES));
  }

  /** The caller releases what is lent. Refuses (`unavailable`) while too many bytes are under way. */
  lend(wanted: ProtectedWindow, leave: () => AbortSignal): Promise<LentBytes> {
    const { name, window, beforeBytes, behindBytes, encrypt } = wanted;
    const make = async (take: (sizeBytes: number) => Buffer) => {
      const room = take(beforeBytes + window.sizeBytes + behindBytes);
      await this.#objects.readInto(room.subarray(beforeBytes, beforeBytes + window.sizeBytes), window);
      // Other viewers are not kept waiting while a large segment is encrypted.
      return runInTurns(encrypt(room));
    };
    return this.#shared.lend({ name, sizeBytes: window.sizeBytes, make }, leave);
  }

  /** How many bytes the encrypted form has. Refuses as `lend` does: the clear bytes must be read. */
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
