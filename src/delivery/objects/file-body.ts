import { read, readSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FilePart, SendFile } from '../../lib/send-file.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { ObjectMissing } from './object-missing.ts';

/**
 * Size of writes through memory if sendfile is available, in bytes. They only serve to detect when the socket accepts
 * more data.
 */
const SENDFILE_PIECE_BYTES = 16 * 1024;

/** Maximum bytes sent to one viewer before other viewers are served. */
const TURN_BYTES = 4 * 2 ** 20;

/** Bytes `start` (inclusive) to `end` (exclusive) of an open file. */
export type FileBody = { fd: number; key: StorageKey; start: number; end: number };

/** Returns the maximum number of bytes per write through memory. */
export function pieceBytes(sendFile: SendFile | null): number {
  return sendFile === null ? Number.POSITIVE_INFINITY : SENDFILE_PIECE_BYTES;
}

/**
 * Writes part of a file after the response headers, and leaves the response open. Does not use `buffer` after it has
 * returned. Returns false if the viewer disconnected. Throws `ObjectMissing` if the file is too short.
 */
export async function writeFileBody(
  response: ServerResponse,
  { fd, key, start, end }: FileBody,
  { buffer, sendFile }: { buffer: Buffer; sendFile: SendFile | null },
): Promise<boolean> {
  if (sendFile !== null) response.flushHeaders();
  for (let at = start; at < end && !response.destroyed; ) {
    if (sendFile !== null) at += await sendStretch(response, { fd, key, start: at, end }, sendFile);
    if (at >= end) break;
    const part = { fd, start: at, sizeBytes: Math.min(buffer.length, end - at) };
    // A synchronous read from the page cache is faster than an asynchronous read on another thread.
    const isNear = sendFile?.isInMemory(part) === true;
    const length = isNear ? readSync(fd, buffer, 0, part.sizeBytes, at) : await readInto(buffer, part);
    if (length === 0) throw new ObjectMissing(`Expected ${key} to reach byte ${end}, got its end at ${at}.`);
    at += length;
    if (!(await writeOut(response, buffer.subarray(0, length)))) return false;
  }
  return !response.destroyed;
}

/**
 * Starts a body with sendfile after the headers, and ends the response if everything, or all but a short remainder that
 * can be read immediately, was sent. Returns the offset of the remainder, or `end` if nothing is left. Never waits, so
 * most responses take one turn of the event loop.
 */
export function sendAtOnce(response: ServerResponse, part: Omit<FileBody, 'key'>, sendFile: SendFile): number {
  response.flushHeaders();
  const { socket } = response;
  if (socket === null || response.writableLength > 0) return part.start;
  const { at, rest } = beginBody(socket, part, sendFile);
  if (rest !== null) response.end(rest);
  return at;
}

/**
 * Sends as much as possible in one turn of the event loop. If the result has a `rest`, even an empty one, only these
 * bytes remain to be written, and `at` is the end.
 */
function beginBody(
  socket: Socket,
  { fd, start, end }: Omit<FileBody, 'key'>,
  sendFile: SendFile,
): { at: number; rest: Buffer | null } {
  const at = start + sendFile.send(socket, { fd, start, sizeBytes: Math.min(end - start, TURN_BYTES) });
  const leftBytes = end - at;
  if (at === start || leftBytes > SENDFILE_PIECE_BYTES) return { at, rest: null };
  const rest = readNow({ fd, start: at, sizeBytes: leftBytes });
  return rest === null ? { at, rest } : { at: end, rest };
}

/**
 * Reads a remainder synchronously. Its last byte was in memory a moment ago, so the read does not wait. Returns null on
 * failure.
 */
function readNow({ fd, start, sizeBytes }: FilePart): Buffer | null {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  try {
    return sizeBytes === 0 || readSync(fd, bytes, 0, sizeBytes, start) === sizeBytes ? bytes : null;
  } catch {
    // The disk is damaged. The next, asynchronous read fails again, and its error ends only this response and not the
    // process.
    return null;
  }
}

/** Sends until the kernel accepts no more bytes. Returns the number of accepted bytes. */
async function sendStretch(
  response: ServerResponse,
  { fd, start, end }: FileBody,
  sendFile: SendFile,
): Promise<number> {
  let at = start;
  while (at < end) {
    const { socket } = response;
    // A pipelined response that waits for the previous one has no socket yet. A response whose viewer disconnected no
    // longer has one.
    if (socket === null || response.writableLength > 0) break;
    const sizeBytes = Math.min(end - at, TURN_BYTES);
    const sent = sendFile.send(socket, { fd, start: at, sizeBytes });
    at += sent;
    if (sent < sizeBytes) break;
    if (at < end) await setImmediate();
  }
  return at - start;
}

/** Fills a buffer of matching size with part of an open file. Throws `ObjectMissing` if the file is too short. */
export async function readWholly(buffer: Buffer, { fd, key, start, end }: FileBody): Promise<void> {
  for (let at = start; at < end; ) {
    const length = await readInto(buffer.subarray(at - start), { fd, start: at, sizeBytes: end - at });
    if (length === 0) throw new ObjectMissing(`Expected ${key} to reach byte ${end}, got its end at ${at}.`);
    at += length;
  }
}

function readInto(buffer: Buffer, { fd, start, sizeBytes }: FilePart): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, 0, sizeBytes, start, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/**
 * Resolves when the kernel has accepted the bytes and the buffer may be reused. Resolves with false if the viewer
 * disconnected.
 */
export function writeOut(response: ServerResponse, bytes: Buffer): Promise<boolean> {
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
