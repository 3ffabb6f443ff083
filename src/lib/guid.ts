import { createHash, randomFillSync } from 'node:crypto';
import type { Brand } from './brand.ts';

/** A lower-case GUID with hyphens, 36 characters. */
export type Guid = Brand<string, 'Guid'>;

const HYPHENS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Bytes fetched from the random generator per call. A call costs ten times as much as the rest of an id, so one call
 * serves many ids.
 */
const RANDOM_BYTES = 4096;

let lastMs = 0;
let sequence = 0;
let random = Buffer.alloc(0);

/**
 * Creates a version 7 GUID (RFC 9562 section 5.7): 48 bits of milliseconds, a 12-bit sequence that keeps ids of one
 * process ascending within a millisecond, then 62 random bits.
 */
export function newGuid(nowMs: number = Date.now()): Guid {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = 0;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastMs += 1;
      sequence = 0;
    }
  }
  const bytes = takeRandom();
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatGuid(bytes);
}

/** Returns the creation time of a version 7 GUID, or null for another version. */
export function timeOfGuid(guid: Guid): Date | null {
  return guid[14] === '7' ? new Date(Number.parseInt(guid.slice(0, 8) + guid.slice(9, 13), 16)) : null;
}

/** Returns 16 random bytes that are never used twice. */
function takeRandom(): Buffer {
  if (random.length < 16) random = randomFillSync(Buffer.allocUnsafeSlow(RANDOM_BYTES));
  const taken = random.subarray(0, 16);
  random = random.subarray(16);
  return taken;
}

/** Parses a GUID in either case. Returns null for anything else, including surrounding space. */
export function parseGuid(text: string): Guid | null {
  const lower = text.toLowerCase();
  // The regular expression proves that the text is a GUID. The length check excludes a final newline, which `$`
  // accepts.
  return lower.length === 36 && GUID.test(lower) ? (lower as Guid) : null;
}

/** Parses a GUID as API callers write it: in either case, with or without hyphens. */
export function readGuid(text: string): Guid | null {
  return parseGuid(/^[0-9a-f]{32}$/i.test(text) && text.length === 32 ? text.replace(HYPHENS, '$1-$2-$3-$4-$5') : text);
}

/**
 * Makes a version 8 GUID (RFC 9562 section 5.8) from 16 bytes whose uniqueness the caller guarantees. Sets the version
 * and variant bits.
 */
export function guidOfBytes(bytes: Uint8Array): Guid {
  const copy = Buffer.from(bytes.subarray(0, 16));
  copy.writeUInt8((copy.readUInt8(6) & 0x0f) | 0x80, 6);
  copy.writeUInt8((copy.readUInt8(8) & 0x3f) | 0x80, 8);
  return formatGuid(copy);
}

/** Derives a GUID from a text. */
export function hashToGuid(text: string): Guid {
  return guidOfBytes(createHash('sha256').update(text).digest());
}

function formatGuid(bytes: Buffer): Guid {
  const hex = bytes.toString('hex');
  // 32 hexadecimal digits with hyphens at the fixed positions are a GUID by construction.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Guid;
}
