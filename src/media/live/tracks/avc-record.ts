import { writeU16 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readH264SequenceSet } from '../../nal/h264-sequence-set.ts';

/** Profiles whose record contains chroma format and bit depths (ISO 14496-15 section 5.3.3.1.2). */
const HIGH_PROFILES = new Set([100, 110, 122, 144, 244]);

const NAL_IDR = 5;
const NAL_SEI = 6;
const SEI_RECOVERY_POINT = 6;

/**
 * Writes an AVCDecoderConfigurationRecord (ISO 14496-15 section 5.3.3) with lengths of four bytes. Throws BrokenMedia
 * if the parameter sets are missing or invalid.
 */
export function writeAvcRecord(sps: readonly Buffer[], pps: readonly Buffer[]): Buffer {
  const [first] = sps;
  if (first === undefined || first.length < 4) throw new BrokenMedia('Expected a complete H.264 SPS, got none.');
  const head = Buffer.from([1, ...first.subarray(1, 4), 0xff, 0xe0 | sps.length]);
  const sets = [...sps.map(withLength), Buffer.from([pps.length]), ...pps.map(withLength)];
  return Buffer.concat([head, ...sets, ...(HIGH_PROFILES.has(first.readUInt8(1)) ? [highProfile(first)] : [])]);
}

/**
 * Rewrites an AVCDecoderConfigurationRecord so that records of the same parameter sets are equal. Some encoders change
 * reserved bits, repeat sets or leave out the fields of high profiles from one record to the next, and each difference
 * would begin another period. Returns a record that cannot be parsed unchanged.
 */
export function normalizeAvcRecord(record: Buffer): Buffer {
  try {
    const sps = readSets(record, 6, record.readUInt8(5) & 0x1f);
    const pps = readSets(record, sps.end + 1, record.readUInt8(sps.end));
    const written = writeAvcRecord(sps.sets, pps.sets);
    written.writeUInt8(0xfc | (record.readUInt8(4) & 3), 4);
    return written;
  } catch (error) {
    if (error instanceof BrokenMedia || error instanceof RangeError) return record;
    throw error;
  }
}

/** Reads `count` parameter sets without repetitions. Throws RangeError if the record is truncated. */
function readSets(record: Buffer, from: number, count: number): { sets: Buffer[]; end: number } {
  const sets: Buffer[] = [];
  let at = from;
  for (let index = 0; index < count; index += 1) {
    const end = at + 2 + record.readUInt16BE(at);
    if (end > record.length) throw new RangeError('Expected a whole parameter set.');
    const set = record.subarray(at + 2, end);
    if (!sets.some((known) => known.equals(set))) sets.push(set);
    at = end;
  }
  return { sets, end: at };
}

/** Whether a frame can be decoded independently: an IDR frame, or one at which recovery is complete. */
export function isAvcKey(nals: readonly Buffer[]): boolean {
  return nals.some((nal) => {
    const type = nal.readUInt8(0) & 0x1f;
    return type === NAL_IDR || (type === NAL_SEI && isRecoveryPoint(nal));
  });
}

/**
 * Whether a NAL unit is a recovery point with immediately correct output, as at the start of an open GOP (H.264 section
 * D.2.8).
 */
function isRecoveryPoint(nal: Buffer): boolean {
  // Check only the first message, because encoders write it first. recovery_frame_cnt 0 is a single 1 bit.
  return nal.length >= 4 && nal[1] === SEI_RECOVERY_POINT && (nal.readUInt8(3) & 0x80) !== 0;
}

function highProfile(sps: Buffer): Buffer {
  const { chromaFormat, lumaDepthMinus8, chromaDepthMinus8 } = readH264SequenceSet(sps);
  return Buffer.from([0xfc | chromaFormat, 0xf8 | lumaDepthMinus8, 0xf8 | chromaDepthMinus8, 0]);
}

function withLength(set: Buffer): Buffer {
  return Buffer.concat([writeU16(set.length), set]);
}
