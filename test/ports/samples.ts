import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

export const MIB = 1024 * 1024;

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

export async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function names(list: AsyncIterable<{ key: string }>): Promise<string[]> {
  return (await toArray(list)).map((info) => info.key);
}

export async function gather(body: Readable): Promise<Buffer> {
  return Buffer.concat(await toArray(body as AsyncIterable<Buffer>));
}

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

export function* cut(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
