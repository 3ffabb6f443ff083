import { type FileHandle, open } from 'node:fs/promises';
import type { StorageKey } from '../../ports/storage.ts';

const IDLE_MS = 30_000;

type OpenFile = { opening: Promise<FileHandle>; fd: number | null; users: number; usedAtMs: number };

/** A borrowed file. `release` returns it. The descriptor must not be used afterwards. */
export type LentFile = { fd: number; release(): void };

/**
 * Keeps up to `max` files open between requests, because opening costs more than reading. Never closes borrowed files.
 * Closes idle files after half a minute, so that a deleted file frees its disk space.
 */
export class OpenFiles {
  #max: number;
  readonly #files = new Map<StorageKey, OpenFile>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(max: number) {
    this.#max = max;
    this.#sweeping = setInterval(() => this.#sweep(performance.now() - IDLE_MS), IDLE_MS / 2).unref();
  }

  /** Returns a file that is already open, or null. */
  lendOpen(key: StorageKey): LentFile | null {
    const file = this.#files.get(key);
    if (file === undefined || file.fd === null) return null;
    this.#use(key, file);
    return { fd: file.fd, release: () => this.#release(key, file) };
  }

  async lend(key: StorageKey, path: string): Promise<LentFile> {
    const file = this.#files.get(key) ?? { opening: open(path, 'r'), fd: null, users: 0, usedAtMs: 0 };
    this.#use(key, file);
    this.#trim();
    try {
      const { fd } = await file.opening;
      file.fd = fd;
      return { fd, release: () => this.#release(key, file) };
    } catch (error) {
      if (this.#files.get(key) === file) this.#files.delete(key);
      throw error;
    }
  }

  close(): void {
    this.#max = 0;
    clearInterval(this.#sweeping);
    this.#sweep(Number.POSITIVE_INFINITY);
  }

  #use(key: StorageKey, file: OpenFile): void {
    file.users += 1;
    file.usedAtMs = performance.now();
    this.#files.delete(key);
    this.#files.set(key, file);
  }

  #release(key: StorageKey, file: OpenFile): void {
    file.users -= 1;
    if (this.#files.size > this.#max || this.#files.get(key) !== file) this.#closeIdle(key, file);
  }

  #trim(): void {
    for (const [key, file] of this.#files) {
      if (this.#files.size <= this.#max) return;
      this.#closeIdle(key, file);
    }
  }

  #sweep(usedBeforeMs: number): void {
    for (const [key, file] of this.#files) if (file.usedAtMs < usedBeforeMs) this.#closeIdle(key, file);
  }

  #closeIdle(key: StorageKey, file: OpenFile): void {
    if (file.users > 0) return;
    if (this.#files.get(key) === file) this.#files.delete(key);
    file.fd = null;
    // A file that failed to open needs no closing. Its reader received the error.
    file.opening.then((handle) => handle.close()).catch(() => undefined);
  }
}
