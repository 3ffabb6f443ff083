import { BrokenMedia } from '../bmff/broken-media.ts';
import { readH264SequenceSet } from '../nal/h264-sequence-set.ts';
import type { Colours } from '../probe/colours.ts';

const UNSPECIFIED = 2;

const NAL_SPS = 7;
const EXTENDED_ASPECT = 255;
const UNSPECIFIED_FORMAT = '101';

/**
 * Writes colours into an H.264 sequence parameter set that lacks them, in its video usability information (ITU-T H.264
 * section E.1.1), which is added if missing. Firefox reads colours only from the parameter set. Keeps each of the three
 * values that the set already has. Returns the set and its resulting colours. Throws BrokenMedia for a set that ends
 * early. Returns any other NAL unit unchanged.
 */
export function writeSpsColours(nal: Buffer, wanted: Colours): { nal: Buffer; colours: Colours } {
  if (((nal[0] ?? 0) & 0x1f) !== NAL_SPS) return { nal, colours: wanted };
  const bits = toBits(nal);
  const cursor = createCursor(bits, readH264SequenceSet(nal).usabilityAtBit);
  const hasUsability = cursor.bit() === 1;
  const before = bits.slice(0, cursor.at() - 1);
  if (!hasUsability) {
    // Write the signal type. All other fields are absent: before it, aspect ratio and overscan; after it, chroma
    // location, timing, HRDs, picture structure and restrictions.
    const signal = { format: UNSPECIFIED_FORMAT, fullRange: wanted.isFullRange ? '1' : '0' };
    const usability = `100${signalType(signal, wanted)}000000`;
    return { nal: toNal(nal, `${before}${usability}`), colours: wanted };
  }
  skipAspectAndOverscan(cursor);
  const head = bits.slice(0, cursor.at());
  const signal = readSignalType(cursor, wanted);
  const isFullRange = signal.fullRange === '1';
  const colours = { ...fill(signal.colours, wanted), isFullRange };
  const rest = withoutTrailing(bits.slice(cursor.at()));
  return { nal: toNal(nal, `${head}${signalType(signal, colours)}${rest}`), colours };
}

function fill(own: Codes | null, wanted: Colours): Codes {
  if (own === null) return wanted;
  const choose = (value: number, other: number) => (value === UNSPECIFIED ? other : value);
  return {
    primaries: choose(own.primaries, wanted.primaries),
    transfer: choose(own.transfer, wanted.transfer),
    matrix: choose(own.matrix, wanted.matrix),
  };
}

type Codes = Omit<Colours, 'isFullRange'>;
type SignalType = { format: string; fullRange: string };

function signalType({ format, fullRange }: SignalType, { primaries, transfer, matrix }: Codes): string {
  const codes = [primaries, transfer, matrix].map((code) => code.toString(2).padStart(8, '0'));
  return `1${format}${fullRange}1${codes.join('')}`;
}

function readSignalType(cursor: Cursor, wanted: Colours): SignalType & { colours: Codes | null } {
  const fullRange = wanted.isFullRange ? '1' : '0';
  if (cursor.bit() === 0) return { format: UNSPECIFIED_FORMAT, fullRange, colours: null };
  const format = cursor.take(3);
  const ownRange = cursor.take(1);
  if (cursor.bit() === 0) return { format, fullRange: ownRange, colours: null };
  const code = () => Number.parseInt(cursor.take(8), 2);
  return { format, fullRange: ownRange, colours: { primaries: code(), transfer: code(), matrix: code() } };
}

function skipAspectAndOverscan(cursor: Cursor): void {
  if (cursor.bit() === 1 && Number.parseInt(cursor.take(8), 2) === EXTENDED_ASPECT) cursor.take(32);
  if (cursor.bit() === 1) cursor.bit();
}

type Cursor = { at(): number; take(count: number): string; bit(): 0 | 1 };

function createCursor(bits: string, startBit: number): Cursor {
  let at = startBit;
  const take = (count: number): string => {
    if (at + count > bits.length) throw new BrokenMedia(`Expected ${count} more bits in a parameter set at bit ${at}.`);
    at += count;
    return bits.slice(at - count, at);
  };
  return {
    at: () => at,
    take,
    bit: () => (take(1) === '1' ? 1 : 0),
  };
}

/** Returns the bits after the first byte of the NAL unit, without emulation prevention bytes (H.264 section 7.3.1). */
function toBits(nal: Buffer): string {
  const payload = [...nal.subarray(1)].filter((byte, index, all) => {
    return !(byte === 3 && all[index - 1] === 0 && all[index - 2] === 0);
  });
  return payload.map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

/** Removes rbsp_trailing_bits: the last 1 and everything after it. */
function withoutTrailing(bits: string): string {
  return bits.slice(0, bits.lastIndexOf('1'));
}

function toNal(original: Buffer, bits: string): Buffer {
  const whole = `${bits}1`;
  const padded = whole.padEnd(Math.ceil(whole.length / 8) * 8, '0');
  const bytes = [original[0] ?? 0];
  let zeros = 0;
  for (let at = 0; at < padded.length; at += 8) {
    const byte = Number.parseInt(padded.slice(at, at + 8), 2);
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}
