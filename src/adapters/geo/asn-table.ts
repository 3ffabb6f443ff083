import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import ipaddr from 'ipaddr.js';
import { hasCode } from '../../lib/has-code.ts';

/** Returns the number of the autonomous system of an address as text, or null if unknown. */
export type AsnOf = (address: string) => string | null;

/**
 * Ranges in ascending order of their start. IPv6 addresses are stored as their upper half, because no network below it
 * is announced on the internet.
 */
export type AsnTable = {
  v4: { starts: Uint32Array; ends: Uint32Array; numbers: Uint32Array };
  v6: { starts: BigUint64Array; ends: BigUint64Array; numbers: Uint32Array };
};

/**
 * Source lists of ranges. Each line has the first and last address as whole numbers, and the number and name of the
 * autonomous system.
 */
export type AsnLists = { v4: string | URL; v6: string | URL };

const MAGIC = 0x6d72_6173; // "mras"
const HEAD_BYTES = 16;

/**
 * Opens the compiled table at `path`, or compiles and saves it if it does not exist. Compiling half a million ranges
 * takes about half a second on a busy machine. The table takes 7 MB, in the file and in memory. `report` is called if
 * the table cannot be saved. In that case, it is compiled again at the next start.
 */
export async function openAsnTable(path: string, lists: AsnLists, report: (error: Error) => void): Promise<AsnOf> {
  const stored = await readStored(path);
  if (stored !== null) return asnOf(stored);
  const table = { v4: await compileV4(lists.v4), v6: await compileV6(lists.v6) };
  await keep(path, table).catch((cause: unknown) => {
    report(new Error(`Could not save the table of autonomous systems to ${path}. It is used from memory.`, { cause }));
  });
  return asnOf(table);
}

async function keep(path: string, table: AsnTable): Promise<void> {
  const made = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(made, encodeAsnTable(table));
    await rename(made, path);
  } catch (error) {
    // Ignore errors here: a leftover file is harmless, and the first error is the cause.
    await rm(made, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Returns a function that finds the system of an address by binary search. */
export function asnOf({ v4, v6 }: AsnTable): AsnOf {
  return (address) => {
    if (!ipaddr.isValid(address)) return null;
    const bytes = Buffer.from(ipaddr.process(address).toByteArray());
    const number =
      bytes.length === 4
        ? find(v4.starts, v4.ends, v4.numbers, bytes.readUInt32BE(0))
        : find(v6.starts, v6.ends, v6.numbers, bytes.readBigUInt64BE(0));
    return number === null ? null : String(number);
  };
}

function find<Key extends number | bigint>(
  starts: ArrayLike<Key>,
  ends: ArrayLike<Key>,
  numbers: Uint32Array,
  key: Key,
): number | null {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    // The bounds of the binary search keep the index within the array.
    if ((starts[middle] as Key) <= key) low = middle + 1;
    else high = middle;
  }
  const end = ends[low - 1];
  return end !== undefined && key <= end ? (numbers[low - 1] ?? null) : null;
}

/** Encodes a table: a header of four numbers, followed by the columns, the widest first. */
export function encodeAsnTable({ v4, v6 }: AsnTable): Buffer {
  const head = Buffer.from(new Uint32Array([MAGIC, v4.numbers.length, v6.numbers.length, 0]).buffer);
  const columns = [v6.starts, v6.ends, v6.numbers, v4.starts, v4.ends, v4.numbers];
  return Buffer.concat([
    head,
    ...columns.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}

/** Decodes a table. Returns null if the bytes are not a table. */
export function decodeAsnTable(bytes: Buffer): AsnTable | null {
  // Copy the bytes, so that columns of eight bytes are aligned.
  const { buffer } = Uint8Array.from(bytes);
  if (bytes.length < HEAD_BYTES) return null;
  const [magic, v4Count = 0, v6Count = 0] = new Uint32Array(buffer, 0, 4);
  if (magic !== MAGIC || bytes.length !== HEAD_BYTES + v4Count * 12 + v6Count * 20) return null;
  const v4At = HEAD_BYTES + v6Count * 20;
  const wide = (at: number) => new BigUint64Array(buffer, at, v6Count);
  const narrow = (at: number, count: number) => new Uint32Array(buffer, at, count);
  return {
    v6: {
      starts: wide(HEAD_BYTES),
      ends: wide(HEAD_BYTES + v6Count * 8),
      numbers: narrow(HEAD_BYTES + v6Count * 16, v6Count),
    },
    v4: {
      starts: narrow(v4At, v4Count),
      ends: narrow(v4At + v4Count * 4, v4Count),
      numbers: narrow(v4At + v4Count * 8, v4Count),
    },
  };
}

async function readStored(path: string): Promise<AsnTable | null> {
  try {
    return decodeAsnTable(await readFile(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function compileV4(list: string | URL): Promise<AsnTable['v4']> {
  const [starts, ends, numbers]: [number[], number[], number[]] = [[], [], []];
  for await (const [start, end, number] of rangesOf(list)) {
    starts.push(Number(start));
    ends.push(Number(end));
    numbers.push(Number(number));
  }
  return { starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), numbers: Uint32Array.from(numbers) };
}

async function compileV6(list: string | URL): Promise<AsnTable['v6']> {
  const [starts, ends, numbers]: [bigint[], bigint[], number[]] = [[], [], []];
  for await (const [start, end, number] of rangesOf(list)) {
    starts.push(BigInt(start) >> 64n);
    ends.push(BigInt(end) >> 64n);
    numbers.push(Number(number));
  }
  return { starts: BigUint64Array.from(starts), ends: BigUint64Array.from(ends), numbers: Uint32Array.from(numbers) };
}

const RANGE = /^(\d+),(\d+),(\d+),/;

/** Yields the ranges of a list. Reads the file in chunks, so that pending requests are served in between. */
async function* rangesOf(list: string | URL): AsyncGenerator<[start: string, end: string, number: string]> {
  let rest = '';
  for await (const piece of createReadStream(list, { encoding: 'latin1' })) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, start, end, number] = RANGE.exec(line) ?? [];
      if (start !== undefined && end !== undefined && number !== undefined) yield [start, end, number];
    }
  }
}
