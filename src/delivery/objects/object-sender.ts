import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SendFile } from '../../lib/send-file.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { HeldCache } from '../cache/held-cache.ts';
import type { EdgeLimits, EdgeStorage } from '../edge-deps.ts';
import type { ObjectPart, ObjectWindow, Part } from '../http/answer.ts';
import type { Slice } from '../http/range.ts';
import {
  type Outlet,
  pieceBytes,
  readWholly,
  sendAtOnce,
  sendAtOnceBare,
  writeFileBody,
  writeOut,
} from './file-body.ts';
import { asMissing, ObjectMissing } from './object-missing.ts';
import { type LentFile, OpenFiles } from './open-files.ts';
import { Leases, RecentNames } from './popular.ts';
import { ReadBuffers } from './read-buffers.ts';
import { readWindow } from './read-window.ts';

/** Windows up to this size are read whole and kept in memory: audio, low rungs, pictures. */
const SMALL_BYTES = 512 * 1024;

/** Larger windows than this are never held in memory, however popular. */
const HELD_BYTES = 8 * 2 ** 20;

/**
 * Sends stored bytes: small ones from memory; others by sendfile from their file, or where that cannot be,
 * from memory when they are asked for again, else read from their file or stream.
 */
export class ObjectSender {
  readonly #storage: EdgeStorage;
  readonly #sendFile: SendFile | null;
  readonly #files: OpenFiles;
  readonly #buffers = new ReadBuffers();
  readonly #recent = new RecentNames();
  readonly #segments: HeldCache<Buffer>;
  readonly #leases: Leases;
  readonly hot: HeldCache<Buffer>;

  constructor({ storage, sendFile }: { storage: EdgeStorage; sendFile: SendFile | null }, limits: EdgeLimits) {
    this.#storage = storage;
    this.#sendFile = sendFile;
    this.#files = new OpenFiles(limits.openFiles);
    this.hot = new HeldCache(limits.objectCacheBytes, (bytes) => bytes.length);
    this.#segments = new HeldCache(limits.segmentCacheBytes, (bytes) => bytes.length);
    this.#leases = new Leases(limits.segmentCacheBytes);
  }

  close(): void {
    this.#files.close();
  }

  /** Calls `begin` (status and headers) once the bytes are known to be there; throws ObjectMissing before it else. */
  async send(response: ServerResponse, window: ObjectWindow, slice: Slice, begin: () => void): Promise<void> {
    const part = { key: window.key, start: window.start + slice.start, end: window.start + slice.end };
    const sendFile = window.sizeBytes > SMALL_BYTES ? this.#sendFile : null;
    const file = sendFile === null ? null : this.#files.lendOpen(window.key);
    if (sendFile !== null && file !== null) {
      await this.#sendOpen(response, { file, part, sendFile }, begin);
      return;
    }
    const name = nameOf(window);
    if (window.sizeBytes <= SMALL_BYTES) {
      const bytes = await this.hot.get(name, () => readWindow(this.#storage, window));
      begin();
      response.end(bytes.subarray(slice.start, slice.end));
    } else if (this.#isHeld(name, window)) await this.#sendHeld(response, { name, window, slice }, begin);
    else await this.sendParts(response, [part], begin);
  }

  /**
   * Sends a window whole behind `head` on a connection of which nothing is left to send, without `node:http`. Null, with
   * nothing sent, where its bytes are not at hand; else what is still to be waited for, false when the viewer left.
   */
  sendBare(socket: Socket, window: ObjectWindow, head: string): Promise<boolean> | true | null {
    if (window.sizeBytes <= SMALL_BYTES) {
      const bytes = this.hot.peek(nameOf(window));
      if (bytes === null) return null;
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(bytes);
      socket.uncork();
      return true;
    }
    const file = this.#sendFile === null ? null : this.#files.lendOpen(window.key);
    if (this.#sendFile === null || file === null) return null;
    const end = window.start + window.sizeBytes;
    socket.write(head, 'latin1');
    const start = sendAtOnceBare(socket, { fd: file.fd, start: window.start, end }, this.#sendFile);
    if (start < end) return this.#writeBody(socket, file, { key: window.key, start, end }).finally(file.release);
    file.release();
    return true;
  }

  /** Sends stretches one after the other, and calls `begin` before the first of their bytes. */
  async sendParts(response: ServerResponse, parts: Iterable<Part>, begin: () => void): Promise<void> {
    const beginOnce = () => {
      if (!response.headersSent) begin();
    };
    for (const part of parts) if (!(await this.#sendPart(response, part, beginOnce))) return;
    beginOnce();
    response.end();
  }

  /** Fills a buffer of its size with a window. Throws ObjectMissing when its object is not there, or shorter than promised. */
  async readInto(buffer: Buffer, window: ObjectWindow): Promise<void> {
    const { key, start, sizeBytes } = window;
    const path = this.#storage.localPath(key);
    if (path === null) {
      (await readWindow(this.#storage, window)).copy(buffer);
      return;
    }
    const file = await this.#lendFile(key, path);
    await readWholly(buffer, { fd: file.fd, key, start, end: start + sizeBytes }).finally(file.release);
  }

  /** Takes a lease on the segment when it is popular and there is room. What sendfile can send needs no memory. */
  #isHeld(name: string, { key, sizeBytes }: ObjectWindow): boolean {
    if (this.#sendFile !== null && this.#storage.localPath(key) !== null) return false;
    return sizeBytes <= HELD_BYTES && this.#recent.note(name) && this.#leases.take(name, sizeBytes);
  }

  async #sendHeld(
    response: ServerResponse,
    { name, window, slice }: { name: string; window: ObjectWindow; slice: Slice },
    begin: () => void,
  ): Promise<void> {
    try {
      const bytes = await this.#segments.get(name, () => readWindow(this.#storage, window));
      if (response.destroyed) return;
      begin();
      const sent = new Promise((resolve) => response.once('close', resolve));
      response.end(bytes.subarray(slice.start, slice.end));
      await sent;
    } finally {
      this.#leases.give(name);
    }
  }

  /** False when the viewer left. */
  #sendPart(response: ServerResponse, part: Part, begin: () => void): Promise<boolean> {
    if ('bytes' in part) {
      begin();
      return writeOut(response, part.bytes);
    }
    const path = this.#storage.localPath(part.key);
    return path === null
      ? this.#sendFromStream(response, part, begin)
      : this.#sendFromFile(response, { path, part }, begin);
  }

  async #sendFromStream(
    response: ServerResponse,
    { key, start, end }: ObjectPart,
    begin: () => void,
  ): Promise<boolean> {
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once('close', leave);
    try {
      const { body } = await this.#storage.read(key, { start, end: end - 1 }, gone.signal).catch(asMissing(key));
      begin();
      for await (const bytes of body) if (!(await writeOut(response, bytes))) return false;
      return true;
    } finally {
      response.off('close', leave);
    }
  }

  #lendFile(key: StorageKey, path: string): Promise<LentFile> {
    return this.#files.lend(key, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT'
        ? new ObjectMissing(`Expected a stored object at ${path}.`, { cause: error })
        : error;
    });
  }

  /** The short way of most answers: nothing is waited for unless the viewer is slower than we are. */
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

  async #writeBody(outlet: Outlet, { fd }: LentFile, { key, start, end }: ObjectPart): Promise<boolean> {
    const buffer = this.#buffers.take(pieceBytes(this.#sendFile));
    try {
      return await writeFileBody(outlet, { fd, key, start, end }, { buffer, sendFile: this.#sendFile });
    } finally {
      this.#buffers.give(buffer);
    }
  }
}

function nameOf({ key, version, start }: ObjectWindow): string {
  return `${key}|${version}|${start}`;
}
