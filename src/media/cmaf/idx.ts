import { crc32 } from 'node:zlib';
import { BrokenMedia } from '../bmff/broken-media.ts';
import {
  type ColumnReader,
  createColumnReader,
  decodeBits,
  decodeOffsets,
  decodeVarints,
  encodeBits,
  encodeOffsets,
  encodeVarints,
} from './idx-columns.ts';

/** One fragment of a chunk in its index. `crc32` covers header and payload. */
export type IndexedFragment = { samples: number; prefixBytes: number; payloadBytes: number; crc32: number };

/**
 * Sample table of a chunk, as stored in its `.idx` object. Each column has one value per sample, across all fragments
 * in order. Times are in ticks of `timescale`.
 */
export type ChunkIndex = {
  timescale: number;
  /** Decode and presentation time of the first sample. */
  startTick: number;
  durationTicks: number;
  sizeBytes: number;
  /** Hash of the whole chunk object, 32 bytes. */
  sha256: Buffer;
  /** Runs of equal composition offsets, as in a ctts box. 0 if all offsets are 0. */
  ctsRuns: number;
  fragments: IndexedFragment[];
  sampleSizesBytes: Uint32Array;
  sampleDurationsTicks: Uint32Array;
  compositionOffsetsTicks: Int32Array;
  /** 1 for a sync sample. */
  syncs: Uint8Array;
};

const MAGIC = 'MRIX';
const VERSION = 1;
const HEADER_BYTES = 88;
const CRC_BYTES = 4;
const FLAG = { constantDuration: 1, hasOffsets: 2, allSync: 4, firstSync: 8 };
/** Minimum bytes of a fragment: three varints and a CRC. */
const MIN_FRAGMENT_BYTES = 7;

/**
 * Encodes a chunk's index as `.idx` version 1: an 88-byte header, fragment table, sizes, durations, offsets, sync
 * samples, and a CRC32 of everything before it. Numbers are little endian and varints are LEB128. 4-bit offset indices
 * and sync bits fill a byte from its low end. Throws if the columns contradict each other.
 */
export function encodeIdx(index: ChunkIndex): Buffer {
  checkIndex(index);
  const offsets = encodeOffsets(index.compositionOffsetsTicks);
  const durationTicks = index.sampleDurationsTicks[0] ?? 0;
  const isConstant = index.sampleDurationsTicks.every((value) => value === durationTicks);
  const sync = encodeSync(index);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 0, 'latin1');
  header.writeUInt8(VERSION, 4);
  header.writeUInt8(
    (isConstant ? FLAG.constantDuration : 0) | (index.ctsRuns > 0 ? FLAG.hasOffsets : 0) | sync.flag,
    5,
  );
  header.writeUInt8(offsets.bits, 6);
  header.writeUInt32LE(index.timescale, 8);
  header.writeUInt32LE(index.fragments.length, 12);
  header.writeUInt32LE(index.sampleSizesBytes.length, 16);
  header.writeUInt32LE(isConstant ? durationTicks : 0, 20);
  header.writeBigInt64LE(BigInt(index.startTick), 24);
  header.writeBigUInt64LE(BigInt(index.durationTicks), 32);
  header.writeBigUInt64LE(BigInt(index.sizeBytes), 40);
  header.writeUInt32LE(index.ctsRuns, 48);
  header.writeUInt16LE(offsets.dictionaryLength, 52);
  index.sha256.copy(header, 56);
  const body = Buffer.concat([
    header,
    ...index.fragments.map(encodeFragment),
    encodeVarints(index.sampleSizesBytes),
    isConstant ? Buffer.alloc(0) : encodeVarints(index.sampleDurationsTicks),
    offsets.bytes,
    sync.bytes,
  ]);
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32LE(crc32(body));
  return Buffer.concat([body, crc]);
}

/**
 * Decodes an `.idx` object. Throws BrokenMedia for a wrong CRC, an unknown version, counts too large for the object
 * (before allocating memory for them), trailing bytes, and columns that contradict each other or the header.
 */
export function decodeIdx(bytes: Buffer): ChunkIndex {
  const body = checkedBody(bytes);
  const flags = body.readUInt8(5);
  const fragmentCount = body.readUInt32LE(12);
  const sampleCount = body.readUInt32LE(16);
  const room = body.length - HEADER_BYTES;
  if (fragmentCount * MIN_FRAGMENT_BYTES + sampleCount > room) {
    throw new BrokenMedia(
      `Expected ${fragmentCount} fragments and ${sampleCount} samples in the idx, got only ${room} bytes for them.`,
    );
  }
  const offsetBits = body.readUInt8(6);
  if ((flags & FLAG.hasOffsets) === 0 && offsetBits !== 0) {
    throw new BrokenMedia(`Expected no composition offsets in the idx, got ${offsetBits} bits each.`);
  }
  const reader = createColumnReader(body, HEADER_BYTES);
  const index: ChunkIndex = {
    timescale: body.readUInt32LE(8),
    startTick: safeNumber(body.readBigInt64LE(24), 'first tick'),
    durationTicks: safeNumber(body.readBigUInt64LE(32), 'duration'),
    sizeBytes: safeNumber(body.readBigUInt64LE(40), 'chunk size'),
    sha256: Buffer.from(body.subarray(56, HEADER_BYTES)),
    ctsRuns: body.readUInt32LE(48),
    fragments: Array.from({ length: fragmentCount }, () => decodeFragment(reader)),
    sampleSizesBytes: decodeVarints(reader, sampleCount),
    sampleDurationsTicks:
      flags & FLAG.constantDuration
        ? new Uint32Array(sampleCount).fill(body.readUInt32LE(20))
        : decodeVarints(reader, sampleCount),
    compositionOffsetsTicks: decodeOffsets(reader, sampleCount, offsetBits, body.readUInt16LE(52)),
    syncs: new Uint8Array(sampleCount),
  };
  decodeSync(reader, index, flags);
  if (reader.left() !== 0)
    throw new BrokenMedia(`Expected the idx to end after its columns, got ${reader.left()} more bytes.`);
  checkIndex(index);
  return index;
}

/** Counts runs of equal composition offsets like a ctts box. Returns 0 if all offsets are 0. */
export function countCtsRuns(offsets: Int32Array): number {
  if (offsets.every((offset) => offset === 0)) return 0;
  let runs = 0;
  for (let index = 0; index < offsets.length; index += 1)
    if (index === 0 || offsets[index] !== offsets[index - 1]) runs += 1;
  return runs;
}

function encodeFragment(fragment: IndexedFragment): Buffer {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32LE(fragment.crc32);
  return Buffer.concat([encodeVarints([fragment.samples, fragment.prefixBytes, fragment.payloadBytes]), crc]);
}

function decodeFragment(reader: ColumnReader): IndexedFragment {
  const samples = reader.varint();
  const prefixBytes = reader.varint();
  const payloadBytes = reader.varint();
  return { samples, prefixBytes, payloadBytes, crc32: reader.u32() };
}

function encodeSync(index: ChunkIndex): { flag: number; bytes: Buffer } {
  const nothing = Buffer.alloc(0);
  if (index.syncs.every((sync) => sync === 1)) return { flag: FLAG.allSync, bytes: nothing };
  const isFirst = Buffer.compare(index.syncs, firstSync(index)) === 0;
  return isFirst ? { flag: FLAG.firstSync, bytes: nothing } : { flag: 0, bytes: encodeBits(index.syncs) };
}

function decodeSync(reader: ColumnReader, index: ChunkIndex, flags: number): void {
  if (flags & FLAG.allSync) index.syncs.fill(1);
  else if (flags & FLAG.firstSync) index.syncs = firstSync(index);
  else index.syncs = decodeBits(reader, index.syncs.length);
}

/** Returns a sync column in which exactly the first sample of each fragment is a sync sample. */
function firstSync(index: ChunkIndex): Uint8Array {
  const syncs = new Uint8Array(index.sampleSizesBytes.length);
  let at = 0;
  for (const fragment of index.fragments) {
    if (fragment.samples > 0 && at < syncs.length) syncs[at] = 1;
    at += fragment.samples;
  }
  return syncs;
}

/** Checks the CRC and the fixed fields, and returns everything before the CRC. */
function checkedBody(bytes: Buffer): Buffer {
  if (bytes.length < HEADER_BYTES + CRC_BYTES) {
    throw new BrokenMedia(`Expected an idx of ${HEADER_BYTES + CRC_BYTES} bytes or more, got ${bytes.length}.`);
  }
  const body = bytes.subarray(0, bytes.length - CRC_BYTES);
  const stored = bytes.readUInt32LE(body.length);
  if (crc32(body) !== stored) throw new BrokenMedia(`Expected an idx with CRC ${stored}, got ${crc32(body)}.`);
  const magic = body.toString('latin1', 0, 4);
  const version = body.readUInt8(4);
  if (magic !== MAGIC || version !== VERSION || body.readUInt8(7) !== 0) {
    throw new BrokenMedia(`Expected an idx ${MAGIC} of version ${VERSION} with varint sizes, got ${magic} ${version}.`);
  }
  return body;
}

function safeNumber(value: bigint, name: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new BrokenMedia(`Expected a ${name} below 2^53 in the idx, got ${value}.`);
}

/** Checks that the columns add up to the fragments, and the fragments to the chunk. */
function checkIndex(index: ChunkIndex): void {
  const { fragments, sampleSizesBytes } = index;
  const count = sampleSizesBytes.length;
  expectEqual(
    'samples in all fragments',
    sum(fragments, (fragment) => fragment.samples),
    count,
  );
  expectEqual('durations', index.sampleDurationsTicks.length, count);
  expectEqual('composition offsets', index.compositionOffsetsTicks.length, count);
  expectEqual('sync marks', index.syncs.length, count);
  expectEqual('bytes of the sha256', index.sha256.length, 32);
  expectEqual(
    'ticks of all samples',
    sum(index.sampleDurationsTicks, (ticks) => ticks),
    index.durationTicks,
  );
  expectEqual('runs of composition offsets', countCtsRuns(index.compositionOffsetsTicks), index.ctsRuns);
  expectEqual(
    'bytes of all fragments',
    sum(fragments, (fragment) => fragment.prefixBytes + fragment.payloadBytes),
    index.sizeBytes,
  );
  let at = 0;
  fragments.forEach((fragment, number) => {
    const sizes = sampleSizesBytes.subarray(at, at + fragment.samples);
    expectEqual(
      `bytes of the samples of fragment ${number}`,
      sum(sizes, (bytes) => bytes),
      fragment.payloadBytes,
    );
    at += fragment.samples;
  });
}

function sum<Item>(values: Iterable<Item>, read: (item: Item) => number): number {
  let total = 0;
  for (const value of values) total += read(value);
  return total;
}

function expectEqual(what: string, received: number, expected: number): void {
  if (received !== expected) throw new BrokenMedia(`Expected ${expected} ${what} in the idx, got ${received}.`);
}
