import type { ServerResponse } from 'node:http';
import { leaveSignal } from '../../lib/leave-signal.ts';
import { Refused } from '../../lib/refused.ts';
import type { SendFile } from '../../lib/send-file.ts';
import { findPacked } from '../../ports/packed-key.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { HeldCache } from '../cache/held-cache.ts';
import type { EdgeLimits, EdgeStorage } from '../edge-deps.ts';
import { BufferPool } from './buffer-pool.ts';
import { pieceBytes, readWholly, sendAtOnce, writeFileBody, writeOut } from './file-body.ts';
import { ObjectMissing } from './object-missing.ts';
import type { ObjectPart, ObjectWindow, Part, Slice } from './object-part.ts';
import { type LentFile, OpenFiles } from './open-files.ts';
import { ReadBuffers } from './read-buffers.ts';
import { readWindow } from './read-window.ts';
import { type LentBytes, SharedBytes } from './shared-bytes.ts';

/** Maximum size in bytes of windows that are read completely and cached in memory: audio, low rungs, images. */
const SMALL_BYTES = 512 * 1024;
/**
 * Maximum size in bytes of windows that are read as a whole from a store without files. Larger windows are read and
 * sent in pieces.
 */
const WHOLE_BYTES = 8 * 2 ** 20;
const PIECE_BYTES = 2 ** 20;

/**
 * Recipient of a response. `lease` counts the bytes in memory for this client, and returns null if the client has
 * reached its limit.
 */
export type Receiver = {
  response: ServerResponse;
  lease(bytes: { name: string; sizeBytes: number }): (() => void) | null;
};

/**
 * Sends stored bytes. Large windows are sent from their file with sendfile. Small windows, and everything from a store
 * without files, are read once for all requests and sent from memory, which is limited. A slow viewer never keeps a
 * connection to the store open.
 */
export class ObjectSender {
  readonly #storage: EdgeStorage;
  readonly #sendFile: SendFile | null;
  readonly #files: OpenFiles;
  readonly #buffers = new ReadBuffers();
  readonly #windows: SharedBytes;
  readonly hot: HeldCache<Buffer>;

  constructor({ storage, sendFile }: { storage: EdgeStorage; sendFile: SendFile | null }, limits: EdgeLimits) {
    this.#storage = storage;
    this.#sendFile = sendFile;
    this.#files = new OpenFiles(limits.openFiles);
    this.hot = new HeldCache('text', limits.textCacheBytes, (bytes) => bytes.length);
    const bounds = { layer: 'object', maxBytes: limits.lentBytes, keptBytes: limits.objectCacheBytes };
    this.#windows = new SharedBytes(bounds, new BufferPool(0));
  }

  close(): void {
    this.#files.close();
  }

  /**
   * Sends a slice of a window. Calls `begin`, which writes status and headers, once the bytes are known to exist.
   * Throws `ObjectMissing` before that if they do not.
   */
  async send(to: Receiver, requested: ObjectWindow, slice: Slice, begin: () => void): Promise<void> {
    const window = unpacked(requested);
    const part = { key: window.key, start: window.start + slice.start, end: window.start + slice.end };
    const hasFile = this.#storage.localPath(window.key) !== null;
    if (hasFile && window.sizeBytes > SMALL_BYTES) {
      const file = this.#sendFile === null ? null : this.#files.lendOpen(window.key);
      if (this.#sendFile === null || file === null) await this.sendParts(to, [part], begin);
      else await this.#sendOpen(to.response, { file, part, sendFile: this.#sendFile }, begin);
    } else if (window.sizeBytes > WHOLE_BYTES) {
      await this.sendParts(to, [part], begin);
    } else {
      await this.#sendWindow(to, { window, slice, hasFile }, begin);
    }
  }

  /** Sends parts one after another. Calls `begin` before the first byte. */
  async sendParts(to: Receiver, parts: Iterable<Part> | AsyncIterable<Part>, begin: () => void): Promise<void> {
    const beginOnce = () => {
      if (!to.response.headersSent) begin();
    };
    for await (const part of parts) if (!(await this.#sendPart(to, part, beginOnce))) return;
    beginOnce();
    to.response.end();
  }

  /**
   * Fills a buffer of matching size with a window. Throws `ObjectMissing` if its object is missing or shorter than
   * recorded.
   */
  async readInto(buffer: Buffer, requested: ObjectWindow): Promise<void> {
    const window = unpacked(requested);
    const { key, start, sizeBytes } = window;
    const path = this.#storage.localPath(key);
    if (path === null) {
      (await readWindow(this.#storage, window)).copy(buffer);
      return;
    }
    const file = await this.#lendFile(key, path);
    await readWholly(buffer, { fd: file.fd, key, start, end: start + sizeBytes }).finally(file.release);
  }

  /** Sends a window from memory. If a slow client has used up its memory, sends from the file in small pieces. */
  async #sendWindow(
    to: Receiver,
    { window, slice, hasFile }: { window: ObjectWindow; slice: Slice; hasFile: boolean },
    begin: () => void,
  ): Promise<void> {
    const lent = await this.#lend(to, window, hasFile);
    if (lent === null) {
      const part = { key: window.key, start: window.start + slice.start, end: window.start + slice.end };
      await this.sendParts(to, [part], begin);
      return;
    }
    try {
      if (to.response.destroyed) return;
      begin();
      const sent = new Promise((resolve) => to.response.once('close', resolve));
      to.response.end(lent.bytes.subarray(slice.start, slice.end));
      await sent;
    } finally {
      lent.release();
    }
  }

  /**
   * Lends the bytes of a window. If memory is exhausted, returns null if the bytes can be sent from a file, and throws
   * `Refused` (`unavailable`) otherwise.
   */
  async #lend({ response, lease }: Receiver, window: ObjectWindow, hasFile: boolean): Promise<LentBytes | null> {
    const { sizeBytes } = window;
    const name = nameOf(window);
    const give = lease({ name, sizeBytes });
    if (give === null && hasFile) return null;
    if (give === null)
      throw new Refused('unavailable', 'Too many responses to your address are in progress. Try again.');
    const wanted = { name, sizeBytes, make: () => readWindow(this.#storage, window) };
    try {
      const lent = hasFile
        ? await this.#windows.lendAtOnce(wanted)
        : await this.#windows.lend(wanted, () => leaveSignal(response));
      if (lent === null) {
        give();
        return null;
      }
      const release = () => {
        lent.release();
        give();
      };
      return { bytes: lent.bytes, release };
    } catch (error) {
      give();
      throw error;
    }
  }

  /** Sends one part. Returns false if the viewer disconnected. */
  #sendPart(to: Receiver, part: Part, begin: () => void): Promise<boolean> {
    if ('bytes' in part) {
      begin();
      return writeOut(to.response, part.bytes);
    }
    const { key, start } = unpacked(part);
    const stretch = { key, start, end: start + part.end - part.start };
    const path = this.#storage.localPath(key);
    return path === null
      ? this.#sendPieces(to, stretch, begin)
      : this.#sendFromFile(to.response, { path, part: stretch }, begin);
  }

  /**
   * Reads each piece completely before sending it, so that a slow viewer occupies one piece but no connection to the
   * store.
   */
  async #sendPieces(to: Receiver, { key, start, end }: ObjectPart, begin: () => void): Promise<boolean> {
    for (let at = start; at < end; ) {
      const pieceEnd = Math.min(end, (Math.floor(at / PIECE_BYTES) + 1) * PIECE_BYTES);
      const window = { key, version: '', start: at, sizeBytes: pieceEnd - at };
      const lent = await this.#lend(to, window, false);
      if (lent === null) throw new Error(`Expected #lend to return the bytes of ${key} or to throw, got null.`);
      try {
        begin();
        if (!(await writeOut(to.response, lent.bytes))) return false;
      } finally {
        lent.release();
      }
      at = pieceEnd;
    }
    return true;
  }

  #lendFile(key: StorageKey, path: string): Promise<LentFile> {
    return this.#files.lend(key, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new ObjectMissing(`Expected a stored object at ${path}.`, { cause: error })
        : error;
    });
  }

  /**
   * Sends from an open file. This is the fast path of most responses. It waits only if the viewer is slower than the
   * edge.
   */
  async #sendOpen(
    response: ServerResponse,
    { file, part, sendFile }: { file: LentFile; part: ObjectPart; sendFile: SendFile },
    begin: () => void,
  ): Promise<void> {
    try {
      begin();
      const start = sendAtOnce(response, { fd: file.fd, start: part.start, end: part.end }, sendFile);
      if (start === part.end) return;
      if (await this.#writeBody(response, file, { ...part, start })) response.end();
    } finally {
      file.release();
    }
  }

  async #sendFromFile(
    response: ServerResponse,
    { path, part }: { path: string; part: ObjectPart },
    begin: () => void,
  ): Promise<boolean> {
    const file = await this.#lendFile(part.key, path);
    try {
      begin();
      return await this.#writeBody(response, file, part);
    } finally {
      file.release();
    }
  }

  async #writeBody(response: ServerResponse, { fd }: LentFile, { key, start, end }: ObjectPart): Promise<boolean> {
    const buffer = this.#buffers.take(pieceBytes(this.#sendFile));
    try {
      return await writeFileBody(response, { fd, key, start, end }, { buffer, sendFile: this.#sendFile });
    } finally {
      this.#buffers.give(buffer);
    }
  }
}

/**
 * Returns the position of the bytes in the packed object that contains them. Files are opened and bytes shared per
 * object.
 */
function unpacked<T extends { key: StorageKey; start: number }>(place: T): T {
  const packed = findPacked(place.key);
  return packed === null ? place : { ...place, key: packed.pack, start: packed.start + place.start };
}

function nameOf({ key, version, start, sizeBytes }: ObjectWindow): string {
  return `${key}|${version}|${start}|${sizeBytes}`;
}
