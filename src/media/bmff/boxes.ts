import { BrokenMedia } from './broken-media.ts';

/** A box within `bytes` (ISO 14496-12 section 4.2). `end` is exclusive. */
export type Box = Reading & { type: string; bytes: Buffer; start: number; payloadStart: number; end: number };

/**
 * `isLenient` applies to all boxes of source files: a size of 0, or a remainder shorter than a box header, ends a list,
 * because QuickTime ends lists with zeros. A list has at most 10,000 boxes.
 */
type Reading = { isLenient: boolean };

/**
 * Header of a box: its type, its size including the header, and the size of the header. A `sizeBytes` of 0 means that
 * the box extends to the end.
 */
export type BoxHead = { type: string; headBytes: 8 | 16; sizeBytes: number };

/** Reads the fields of one box in order and never past its end. */
export type FieldReader = {
  left(): number;
  u8(): number;
  u16(): number;
  u32(): number;
  i32(): number;
  /** Reads a 64-bit unsigned number. Rejects numbers above 2^53 - 1. */
  u64(): number;
  skip(count: number): void;
  /** Returns a view of the next `count` bytes. */
  take(count: number): Buffer;
};

const HIGH_WORD = 2 ** 32;
const MAX_LENIENT_BOXES = 10_000;

/** Maximum bytes of a box header: size, type and 64-bit size. */
export const MAX_BOX_HEAD = 16;

/**
 * Reads a box header at `at`. Returns null if the buffer does not contain all of it. Throws BrokenMedia if the size is
 * smaller than the header or above 2^53 - 1.
 */
export function readBoxHead(bytes: Buffer, at: number, end: number = bytes.length): BoxHead | null {
  if (end - at < 8) return null;
  const type = bytes.toString('latin1', at + 4, at + 8);
  const short = bytes.readUInt32BE(at);
  if (short === 0) return { type, headBytes: 8, sizeBytes: 0 };
  if (short !== 1) return checkedHead({ type, headBytes: 8, sizeBytes: short });
  if (end - at < MAX_BOX_HEAD) return null;
  return checkedHead({ type, headBytes: 16, sizeBytes: readU64(bytes, at + 8, type) });
}

/** Lists the boxes that fill a buffer. Throws BrokenMedia if a box does not fit. */
export function readBoxes(bytes: Buffer, reading: Reading = { isLenient: false }): Box[] {
  return listBoxes(bytes, { start: 0, end: bytes.length }, reading);
}

/**
 * Lists the boxes in a box, after the first `afterBytes` of its payload (8 in stsd and dref). Throws like `readBoxes`.
 */
export function childBoxes(parent: Box, afterBytes = 0): Box[] {
  return listBoxes(parent.bytes, { start: parent.payloadStart + afterBytes, end: parent.end }, parent);
}

function listBoxes(bytes: Buffer, { start, end }: { start: number; end: number }, { isLenient }: Reading): Box[] {
  const boxes: Box[] = [];
  let at = start;
  while (isLenient || at < end) {
    const head = readBoxHead(bytes, at, end);
    if (isLenient && (head === null || head.sizeBytes === 0)) break;
    if (head === null) throw new BrokenMedia(`Expected a whole box head at byte ${at}, got ${end - at} bytes.`);
    const sizeBytes = head.sizeBytes === 0 ? end - at : head.sizeBytes;
    if (sizeBytes > end - at) {
      throw new BrokenMedia(`Expected box ${printable(head.type)} of ${sizeBytes} bytes, got ${end - at} bytes.`);
    }
    if (isLenient && boxes.length === MAX_LENIENT_BOXES) {
      throw new BrokenMedia(`Expected at most ${MAX_LENIENT_BOXES} boxes side by side.`);
    }
    const bounds = { start: at, payloadStart: at + head.headBytes, end: at + sizeBytes };
    boxes.push({ type: head.type, bytes, ...bounds, isLenient });
    at += sizeBytes;
  }
  return boxes;
}

/** Follows `path` down from a list or a box, using the first match at each step. Returns null if a step is missing. */
export function findBox(from: Box | readonly Box[], ...path: readonly string[]): Box | null {
  let level = 'type' in from ? childBoxes(from) : from;
  let found: Box | null = null;
  for (const type of path) {
    if (found !== null) level = childBoxes(found);
    found = level.find((box) => box.type === type) ?? null;
    if (found === null) return null;
  }
  return found;
}

/** Like `findBox`, but throws BrokenMedia if a step is missing. */
export function requireBox(from: Box | readonly Box[], ...path: readonly string[]): Box {
  const found = findBox(from, ...path);
  if (found === null) throw new BrokenMedia(`Expected a box ${path.join('/')}, found none.`);
  return found;
}

/** Opens the payload of a box for reading field by field. A read past the end throws BrokenMedia. */
export function readFields(box: Box): FieldReader {
  const { bytes } = box;
  let at = box.payloadStart;
  const advance = (count: number): number => {
    if (count > box.end - at) {
      throw new BrokenMedia(`Expected ${count} more bytes in box ${printable(box.type)}, got ${box.end - at}.`);
    }
    at += count;
    return at - count;
  };
  return {
    left: () => box.end - at,
    u8: () => bytes.readUInt8(advance(1)),
    u16: () => bytes.readUInt16BE(advance(2)),
    u32: () => bytes.readUInt32BE(advance(4)),
    i32: () => bytes.readInt32BE(advance(4)),
    u64: () => readU64(bytes, advance(8), box.type),
    skip: (count) => {
      advance(count);
    },
    take: (count) => {
      const from = advance(count);
      return bytes.subarray(from, from + count);
    },
  };
}

/** Reads version and flags at the start of a full box (ISO 14496-12 section 4.2). */
export function readVersion(fields: FieldReader): { version: number; flags: number } {
  const word = fields.u32();
  return { version: word >>> 24, flags: word & 0xffffff };
}

/** Creates a box that contains `parts`. Throws if it would need a 64-bit size. */
export function writeBox(type: string, ...parts: readonly Uint8Array[]): Buffer {
  return openBox(type, 0, ...parts);
}

/**
 * Creates the beginning of a box: its header and `parts`. The caller appends `laterBytes` more bytes. Throws like
 * `writeBox`.
 */
export function openBox(type: string, laterBytes: number, ...parts: readonly Uint8Array[]): Buffer {
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 8 + laterBytes);
  if (needsU64(sizeBytes)) throw new Error(`Expected box ${type} below 4 GiB, got ${sizeBytes} bytes.`);
  return Buffer.concat([writeU32(sizeBytes), Buffer.from(type, 'latin1'), ...parts]);
}

/** Creates the header of a box of `payloadBytes`, with a 64-bit size if necessary. */
export function openWideBox(type: string, payloadBytes: number): Buffer {
  if (!needsU64(payloadBytes + 8)) return openBox(type, payloadBytes);
  return Buffer.concat([writeU32(1), Buffer.from(type, 'latin1'), writeU32(...toU64Words(payloadBytes + 16))]);
}

/** Whether an integer needs more than 32 bits. */
export function needsU64(value: number): boolean {
  return value >= HIGH_WORD;
}

/** Splits an integer into the two words of a 64-bit field, high word first. */
export function toU64Words(value: number): [high: number, low: number] {
  return [Math.floor(value / HIGH_WORD), value % HIGH_WORD];
}

/** Returns the number in a 64-bit field, inexact above 2^53. */
export function fromU64Words(high: number, low: number): number {
  return high * HIGH_WORD + low;
}

/** Creates a full box, with version and flags. */
export function writeFullBox(type: string, version: number, flags: number, ...parts: readonly Uint8Array[]): Buffer {
  return writeBox(type, writeU32(version * 2 ** 24 + flags), ...parts);
}

/** Encodes 16-bit integers, big endian. */
export function writeU16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => {
    bytes.writeUInt16BE(value, index * 2);
  });
  return bytes;
}

/** Encodes 32-bit integers, big endian. */
export function writeU32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
}

/** Returns a box type for messages. Replaces all but printable ASCII, because types are read from a file. */
export function printable(type: string): string {
  return `'${type.replace(/[^\x20-\x7e]/g, '?')}'`;
}

function checkedHead(head: BoxHead): BoxHead {
  if (head.sizeBytes >= head.headBytes) return head;
  throw new BrokenMedia(
    `Expected box ${printable(head.type)} of ${head.headBytes} bytes or more, got ${head.sizeBytes}.`,
  );
}

function readU64(bytes: Buffer, at: number, type: string): number {
  const value = fromU64Words(bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4));
  if (Number.isSafeInteger(value)) return value;
  throw new BrokenMedia(`Expected a number below 2^53 in box ${printable(type)}, got about ${value}.`);
}
