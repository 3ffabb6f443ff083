import { type FileHandle, open } from 'node:fs/promises';

const IDLE_MS = 30_000;

type OpenFile = { opening: Promise<FileHandle>; users: number; usedAtMs: number };

/** A file lent out; `release` gives it back, after which its descriptor must not be used. */
export type LentFile = { fd: number; release(): void };

/**
 * Keeps up to `max` files open between requests, because opening costs more than reading. Files that are
 * lent out are not closed under their readers; idle ones are closed after half a minute, so that a
 * deleted file gives its space back.
 */
export class OpenFiles {
  #max: number;
  readonly #files = new Map<string, OpenFile>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(max: number) {
    this.#max = max;
    this.#sweeping = setInterval(() => this.#sweep(performance.now() - IDLE_MS), IDLE_MS / 2).unref();
  }

  async lend(path: string): Promise<LentFile> {
    const file = this.#files.get(path) ?? { opening: open(path, 'r'), users: 0, usedAtMs: 0 };
    file.users += 1;
    file.usedAtMs = performance.now();
    this.#files.delete(path);
    this.#files.set(path, file);
    this.#trim();
    try {
      const { fd } = await file.opening;
      return { fd, release: () => this.#release(path, file) };
    } catch (error) {
      if (this.#files.get(path) === file) this.#files.delete(path);
      throw error;
    }
  }

  close(): void {
    this.#max = 0;
    clearInterval(this.#sweeping);
    this.#sweep(Number.POSITIVE_INFINITY);
  }

  #release(path: string, file: OpenFile): void {
    file.users -= 1;
    if (this.#files.size > this.#max || this.#files.get(path) !== file) this.#closeIdle(path, file);
  }

  #trim(): void {
    for (const [path, file] of this.#files) {
      if (this.#files.size <= this.#max) return;
      this.#closeIdle(path, file);
    }
  }

  #sweep(usedBeforeMs: number): void {
    for (const [path, file] of this.#files) if (file.usedAtMs < usedBeforeMs) this.#closeIdle(path, file);
  }

  #closeIdle(path: string, file: OpenFile): void {
    if (file.users > 0) return;
    if (this.#files.get(path) === file) this.#files.delete(path);
    // A file that never opened needs no closing; its reader was told.
    file.opening.then((handle) => handle.close()).catch(() => undefined);
  }
}
