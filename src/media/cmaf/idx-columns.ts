import { BrokenMedia } from '../bmff/broken-media.ts';

/** Reads the columns of an `.idx` body in order and never past its end. */
export type ColumnReader = { left(): number; u32(): number; varint(): number; take(count: number): Buffer };

/** Composition offsets of a chunk as stored. `bits` per sample is 0, 4, 8 or 32. */
export type OffsetColumn = { bits: 0 | 4 | 8 | 32; dictionaryLength: number; bytes: Buffer };

const MAX_U32 = 0xffffffff;
const NOTHING = Buffer.alloc(0);

/** Opens `body` at offset `from`. Reads throw BrokenMedia past the end or for a varint above 32 bits. */
export function createColumnReader(body: Buffer, from: number): ColumnReader {
  let at = from;
  const advance = (count: number): number => {
    if (count > body.length - at)
      throw new BrokenMedia(`Expected ${count} more bytes in the idx, got ${body.length - at}.`);
    at += count;
    return at - count;
  };
  return {
    left: () => body.length - at,
    u32: () => body.readUInt32LE(advance(4)),
    varint() {
      let value = 0;
      for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
        const byte = body.readUInt8(advance(1));
        value += (byte & 0x7f) * factor;
        if (byte < 0x80 && value <= MAX_U32) return value;
      }
      throw new BrokenMedia('Expected a varint of at most 32 bits in the idx, got a longer one.');
    },
    take(count) {
      const start = advance(count);
      return body.subarray(start, start + count);
    },
  };
}

/** Encodes numbers as LEB128: seven bits per byte, lowest first. Throws for a number outside 0 to 2^32 - 1. */
export function encodeVarints(values: Iterable<number>): Buffer {
  const bytes: number[] = [];
  for (const value of values) {
    if (value < 0 || value > MAX_U32) throw new Error(`Expected a number of 32 bits in the idx, got ${value}.`);
    let rest = value;
    while (rest >= 0x80) {
      bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** Reads `count` varints. The caller must have checked that the object is long enough. */
export function decodeVarints(reader: ColumnReader, count: number): Uint32Array {
  const values = new Uint32Array(count);
  for (let index = 0; index < count; index += 1) values[index] = reader.varint();
  return values;
}

/**
 * Encodes offsets in the narrowest form: nothing if all are 0, a dictionary of up to 16 or 256 values, else plain i32.
 */
export function encodeOffsets(offsets: Int32Array): OffsetColumn {
  if (offsets.every((offset) => offset === 0)) return { bits: 0, dictionaryLength: 0, bytes: NOTHING };
  const values = [...new Set(offsets)].sort((left, right) => left - right);
  if (values.length > 256) return { bits: 32, dictionaryLength: 0, bytes: encodeI32(offsets) };
  const places = new Map(values.map((value, place) => [value, place]));
  const perByte = values.length <= 16 ? 2 : 1;
  const indexes = Buffer.alloc(Math.ceil(offsets.length / perByte));
  offsets.forEach((offset, index) => {
    const place = places.get(offset) ?? 0;
    const byteAt = Math.floor(index / perByte);
    indexes[byteAt] = (indexes[byteAt] ?? 0) | (perByte === 2 && index % 2 === 1 ? place << 4 : place);
  });
  const bytes = Buffer.concat([encodeI32(values), indexes]);
  return { bits: perByte === 2 ? 4 : 8, dictionaryLength: values.length, bytes };
}

/** Decodes the result of `encodeOffsets`. Rejects unknown widths and indices outside the dictionary. */
export function decodeOffsets(reader: ColumnReader, count: number, bits: number, dictionaryLength: number): Int32Array {
  const offsets = new Int32Array(count);
  if (bits === 0 && dictionaryLength === 0) return offsets;
  if (bits === 32 && dictionaryLength === 0) return decodeI32(reader.take(count * 4));
  if (bits !== 4 && bits !== 8) {
    throw new BrokenMedia(
      `Expected offsets of 0, 4, 8 or 32 bits in the idx, got ${bits} and ${dictionaryLength} values.`,
    );
  }
  const dictionary = decodeI32(reader.take(dictionaryLength * 4));
  const indexes = reader.take(Math.ceil((count * bits) / 8));
  for (let index = 0; index < count; index += 1) {
    const byte = indexes[bits === 4 ? index >> 1 : index] ?? 0;
    const place = bits === 8 ? byte : (byte >> (index % 2 === 1 ? 4 : 0)) & 0x0f;
    const offset = dictionary[place];
    if (offset === undefined)
      throw new BrokenMedia(`Expected an offset index below ${dictionaryLength}, got ${place}.`);
    offsets[index] = offset;
  }
  return offsets;
}

/** Encodes one bit per sample, the first in the lowest bit. */
export function encodeBits(values: Uint8Array): Buffer {
  const bytes = Buffer.alloc(Math.ceil(values.length / 8));
  values.forEach((value, index) => {
    if (value !== 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return bytes;
}

/** Decodes the result of `encodeBits`: 0 or 1 for each of `count` samples. */
export function decodeBits(reader: ColumnReader, count: number): Uint8Array {
  const bytes = reader.take(Math.ceil(count / 8));
  return Uint8Array.from({ length: count }, (_, index) => ((bytes[index >> 3] ?? 0) >> (index & 7)) & 1);
}

function encodeI32(values: Iterable<number>): Buffer {
  const list = [...values];
  const bytes = Buffer.alloc(list.length * 4);
  list.forEach((value, index) => {
    bytes.writeInt32LE(value, index * 4);
  });
  return bytes;
}

function decodeI32(bytes: Buffer): Int32Array {
  return Int32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readInt32LE(index * 4));
}
