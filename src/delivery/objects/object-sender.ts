import { read } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Refused } from '../../lib/refused.ts';
import { ByteCache } from '../cache/byte-cache.ts';
import type { EdgeLimits, EdgeStorage } from '../edge-deps.ts';
import type { ObjectWindow } from '../http/answer.ts';
import type { Slice } from '../http/range.ts';
import { OpenFiles } from './open-files.ts';
import { Leases, RecentNames } from './popular.ts';
import { ReadBuffers } from './read-buffers.ts';

/** Windows up to this size are read whole and kept in memory: audio, low rungs, pictures. */
const SMALL_BYTES = 512 * 1024;

/** Larger windows than this are never held in memory, however popular. */
const HELD_BYTES = 8 * 2 ** 20;

/** An object that a row promises is not there, or is shorter than promised. Ours, never the viewer's fault. */
export class ObjectMissing extends Error {}

/**
 * Sends stored bytes: small ones, and segments that are asked for again, from memory; the others straight
 * from their file or stream.
 */
export class ObjectSender {
  readonly #storage: EdgeStorage;
  readonly #files: OpenFiles;
  readonly #buffers = new ReadBuffers();
  readonly #recent = new RecentNames();
  readonly #segments: ByteCache;
  readonly #leases: Leases;
  readonly hot: ByteCache;

  constructor(storage: EdgeStorage, limits: EdgeLimits) {
    this.#storage = storage;
    this.#files = new OpenFiles(limits.openFiles);
    this.hot = new ByteCache(limits.objectCacheBytes);
    this.#segments = new ByteCache(limits.segmentCacheBytes);
    this.#leases = new Leases(limits.segmentCacheBytes);
  }

  close(): void {
    this.#files.close();
  }

  /** Calls `begin` (status and headers) once the bytes are known to be there; throws ObjectMissing before it else. */
  async send(response: ServerResponse, window: ObjectWindow, slice: Slice, begin: () => void): Promise<void> {
    const name = `${window.key}|${window.version}|${window.start}`;
    if (window.sizeBytes <= SMALL_BYTES) {
      const bytes = await this.hot.get(name, () => this.#readWhole(window));
      begin();
      response.end(bytes.subarray(slice.start, slice.end));
    } else if (this.#isHeld(name, window)) await this.#sendHeld(response, { name, window, slice }, begin);
    else await this.#sendLarge(response, window, slice, begin);
  }

  /** Takes a lease on the segment when it is popular and there is room. */
  #isHeld(name: string, { sizeBytes }: ObjectWindow): boolean {
    return sizeBytes <= HELD_BYTES && this.#recent.note(name) && this.#leases.take(name, sizeBytes);
  }

  async #sendHeld(
    response: ServerResponse,
    { name, window, slice }: { name: string; window: ObjectWindow; slice: Slice },
    begin: () => void,
  ): Promise<void> {
    try {
      const bytes = await this.#segments.get(name, () => this.#readWhole(window));
      if (response.destroyed) return;
      begin();
      const sent = new Promise((resolve) => response.once('close', resolve));
      response.end(bytes.subarray(slice.start, slice.end));
      await sent;
    } finally {
      this.#leases.give(name);
    }
  }

  async #sendLarge(response: ServerResponse, window: ObjectWindow, slice: Slice, begin: () => void): Promise<void> {
    const path = this.#storage.localPath(window.key);
    if (path === null) await this.#sendStream(response, window, slice, begin);
    else await this.#sendFile(response, path, shift(slice, window), begin);
  }

  async #readWhole({ key, start, sizeBytes }: ObjectWindow): Promise<Buffer> {
    const range = { start, end: start + sizeBytes - 1 };
    const bytes = await this.#storage.readBytes(key, range, AbortSignal.timeout(10_000)).catch(asMissing(key));
    if (bytes.length !== sizeBytes)
      throw new ObjectMissing(`Expected ${sizeBytes} bytes of ${key}, got ${bytes.length}.`);
    return bytes;
  }

  async #sendStream(response: ServerResponse, window: ObjectWindow, slice: Slice, begin: () => void): Promise<void> {
    const { start, end } = shift(slice, window);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const range = { start, end: end - 1 };
    const { body } = await this.#storage.read(window.key, range, gone.signal).catch(asMissing(window.key));
    begin();
    await pipeline(body, response);
  }

  async #sendFile(response: ServerResponse, path: string, slice: Slice, begin: () => void): Promise<void> {
    const file = await this.#files.lend(path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new ObjectMissing(`Expected a stored object at ${path}.`, { cause: error })
        : error;
    });
    const buffer = this.#buffers.take();
    try {
      begin();
      for (let at = slice.start; at < slice.end; ) {
        const length = await readInto(file.fd, buffer, { at, length: Math.min(buffer.length, slice.end - at) });
        if (length === 0) throw new ObjectMissing(`Expected ${path} to reach byte ${slice.end}, it ended at ${at}.`);
        at += length;
        if (!(await writeOut(response, buffer.subarray(0, length)))) return;
      }
      response.end();
    } finally {
      file.release();
      this.#buffers.give(buffer);
    }
  }
}

function shift({ start, end }: Slice, window: ObjectWindow): Slice {
  return { start: window.start + start, end: window.start + end };
}

function asMissing(key: string) {
  return (error: unknown): never => {
    if (error instanceof Refused && error.kind === 'not-found') {
      throw new ObjectMissing(`Expected a stored object ${key}.`, { cause: error });
    }
    throw error;
  };
}

function readInto(fd: number, buffer: Buffer, { at, length }: { at: number; length: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, 0, length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Resolves when the kernel took the bytes, so that the buffer may be used again; false when the viewer left. */
function writeOut(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed) return resolve(false);
    const leave = () => resolve(false);
    response.once('close', leave);
    response.write(bytes, (error) => {
      response.off('close', leave);
      resolve(error === undefined || error === null);
    });
  });
}
