import type { EdgeLimits } from '../edge-deps.ts';
import type { ObjectWindow } from '../http/answer.ts';
import { BufferPool } from '../objects/buffer-pool.ts';
import type { ObjectSender } from '../objects/object-sender.ts';
import { type LentBytes, SharedBytes } from '../objects/shared-bytes.ts';

/**
 * What is wanted: the encrypted form of a window. `name` stands for these very bytes; null for such as nobody asks
 * for twice. `encrypt` writes into a buffer from `take`, or gives back one of its own.
 */
export type ProtectedWindow = {
  name: string | null;
  window: ObjectWindow;
  encrypt(clear: Buffer, take: (sizeBytes: number) => Buffer): Buffer;
};

/** A window whose encrypted form is only to be measured. */
export type MeasuredWindow = { window: ObjectWindow; measure(clear: Buffer): number };

const POOLED_BYTES = 32 * 2 ** 20;

/** Encrypts stored bytes while they are served; see `SharedBytes` for what is kept and how much may be under way. */
export class ProtectedObjects {
  readonly #objects: Pick<ObjectSender, 'readInto'>;
  readonly #pool = new BufferPool(POOLED_BYTES);
  readonly #shared: SharedBytes;

  constructor(objects: Pick<ObjectSender, 'readInto'>, limits: EdgeLimits) {
    this.#objects = objects;
    const bounds = { maxBytes: limits.protectedBytes, keptBytes: limits.protectedCacheBytes };
    this.#shared = new SharedBytes(bounds, this.#pool);
  }

  /** The caller releases what is lent. Refuses (`unavailable`) while too many bytes are under way. */
  lend({ name, window, encrypt }: ProtectedWindow, leave: () => AbortSignal): Promise<LentBytes> {
    const make = (take: (sizeBytes: number) => Buffer) => this.#read(window, (clear) => encrypt(clear, take));
    return this.#shared.lend({ name, sizeBytes: window.sizeBytes, make }, leave);
  }

  /** How many bytes the encrypted form has. Refuses as `lend` does: the clear bytes must be read. */
  async measure({ window, measure }: MeasuredWindow, leave: () => AbortSignal): Promise<number> {
    let measuredBytes = 0;
    const make = () =>
      this.#read(window, (clear) => {
        measuredBytes = measure(clear);
        return Buffer.alloc(0);
      });
    const { release } = await this.#shared.lend({ name: null, sizeBytes: window.sizeBytes, make }, leave);
    release();
    return measuredBytes;
  }

  async #read(window: ObjectWindow, use: (clear: Buffer) => Buffer): Promise<Buffer> {
    const scratch = this.#pool.take(window.sizeBytes);
    try {
      return use(await this.#objects.readInto(scratch, window));
    } finally {
      this.#pool.give(scratch);
    }
  }
}
