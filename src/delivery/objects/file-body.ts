import { read, readSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { FilePart, SendFile } from '../../lib/send-file.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { ObjectMissing } from './object-missing.ts';

/** With sendfile, what goes through memory needs to know only when the socket takes more. */
const SENDFILE_PIECE_BYTES = 16 * 1024;

/** So much goes to one viewer before others have their turn. */
const TURN_BYTES = 4 * 2 ** 20;

/** Bytes `start` to `end`, end excluded, of an open file. */
export type FileBody = { fd: number; key: StorageKey; start: number; end: number };

/** How much one write needs at most. */
export function pieceBytes(sendFile: SendFile | null): number {
  return sendFile === null ? Number.POSITIVE_INFINITY : SENDFILE_PIECE_BYTES;
}

/**
 * Writes part of a file behind a head that was written, and leaves the response open. `buffer` serves reads and
 * is free again when this answers. False when the viewer left. Throws ObjectMissing when the file is too short.
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
    // A read from memory is sooner done than handed to another thread.
    const isNear = sendFile?.isInMemory(part) === true;
    const length = isNear ? readSync(fd, buffer, 0, part.sizeBytes, at) : await readInto(buffer, part);
    if (length === 0) throw new ObjectMissing(`Expected ${key} to reach byte ${end}, it ended at ${at}.`);
    at += length;
    if (!(await writeOut(response, buffer.subarray(0, length)))) return false;
  }
  return !response.destroyed;
}

/**
 * Begins a body behind its head by sendfile, and ends the answer with it when no more than a short rest is left.
 * Answers where the rest begins: at `end` nothing is left to do. Nothing here waits, so most answers cost one turn.
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
 * Sends what one turn allows. With a `rest`, empty or not, that is all that is still to be written, and `at` is the
 * end.
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

/** The last byte was in memory a moment ago, so what lies before it is read without a wait; null where it cannot be. */
function readNow({ fd, start, sizeBytes }: FilePart): Buffer | null {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  try {
    return sizeBytes === 0 || readSync(fd, bytes, 0, sizeBytes, start) === sizeBytes ? bytes : null;
  } catch {
    // A worn disk: who reads on meets it again, where its error ends this one answer and not the process.
    return null;
  }
}

/** Sends until the kernel takes no more at once; answers how much it took. */
async function sendStretch(
  response: ServerResponse,
  { fd, start, end }: FileBody,
  sendFile: SendFile,
): Promise<number> {
  let at = start;
  while (at < end) {
    const { socket } = response;
    // A response that waits for the one before it has no socket yet, and one whose viewer left has none any more.
    if (socket === null || response.writableLength > 0) break;
    const sizeBytes = Math.min(end - at, TURN_BYTES);
    const sent = sendFile.send(socket, { fd, start: at, sizeBytes });
    at += sent;
    if (sent < sizeBytes) break;
    if (at < end) await setImmediate();
  }
  return at - start;
}

/** Fills a buffer of that size with part of an open file. Throws ObjectMissing when the file is too short. */
export async function readWholly(buffer: Buffer, { fd, key, start, end }: FileBody): Promise<void> {
  for (let at = start; at < end; ) {
    const length = await readInto(buffer.subarray(at - start), { fd, start: at, sizeBytes: end - at });
    if (length === 0) throw new ObjectMissing(`Expected ${key} to reach byte ${end}, it ended at ${at}.`);
    at += length;
  }
}

function readInto(buffer: Buffer, { fd, start, sizeBytes }: FilePart): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, 0, sizeBytes, start, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Resolves when the kernel took the bytes, so that the buffer may be used again; false when the viewer left. */
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
