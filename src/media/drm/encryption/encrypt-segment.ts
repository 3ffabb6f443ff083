import { readBoxes, requireBox, writeFullBox, writeU32 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { type Fragment, readFragment } from '../../cmaf/fragment.ts';
import { writeFragmentHead } from '../../cmaf/write-fragment.ts';
import { SUBSAMPLE_BYTES, type Subsample } from '../subsamples/subsample.ts';
import { sampleIv } from './sample-iv.ts';
import type { TrackCipher } from './track-cipher.ts';

/** Position of a fragment: the number of its segment, and the index of its first sample in that segment. */
type FragmentPosition = { segment: number; firstSample: number };

const FLAG_SUBSAMPLES = 2;
const MDAT_HEAD_BYTES = 8;
/** Bytes encrypted in one step, which takes about 2 ms. */
const STEP_BYTES = 2 * 2 ** 20;

/**
 * Maximum number of bytes that encryption adds to a segment, except for very unusual ones: 250 samples with the maximum
 * number of subsamples.
 */
export const HEADROOM_BYTES = 64 * 1024;

/** Cipher and number of a segment. `firstSample` is the index of the first given sample in the segment. Default: 0. */
export type SegmentPosition = { cipher: TrackCipher; number: number; firstSample?: number };

/** A buffer whose end, from `clearStart` on, has the clear bytes. The bytes before are free. */
type Room = { bytes: Buffer; clearStart: number };

/**
 * Encrypts stored fragments of a segment (moof, mdat), usually all of them. Returns the bytes to serve: the samples in
 * a new mdat, and a new moof that describes the encryption (senc, saiz, saio; ISO 23001-7 section 7), with updated
 * sizes and data offset. The result is the same each time for the same fragments. Throws BrokenMedia for damaged bytes.
 *
 * Overwrites the clear bytes, in steps of about 2 ms. The result is a part of `room`, which needs HEADROOM_BYTES before
 * the clear bytes. With less, or for very unusual segments, the result is a separate buffer.
 */
export function* encryptSegment(room: Room, position: SegmentPosition): Generator<undefined, Buffer> {
  const plans = planSegment(room.bytes.subarray(room.clearStart), position);
  const output = layOut(plans, room);
  const { cipher } = position;
  let at = 0;
  let doneBytes = 0;
  for (const { head, payload, samples } of plans) {
    for (const part of head) at += part.copy(output, at);
    payload.copy(output, at);
    for (const { sizeBytes, iv, subsamples } of samples) {
      const bytes = output.subarray(at, at + sizeBytes);
      cipher.scheme.encryptSample({ bytes, subsamples, encrypt: cipher.encrypt, iv: iv ?? cipher.key.constantIv });
      at += sizeBytes;
      doneBytes += sizeBytes;
      if (doneBytes < STEP_BYTES) continue;
      doneBytes = 0;
      yield;
    }
  }
  return output;
}

/** Returns the size of the result of `encryptSegment`, without encrypting. */
export function measureEncrypted(segment: Buffer, position: SegmentPosition): number {
  return countBytes(planSegment(segment, position));
}

/** Returns the end of `room`, or a new buffer if the output would overwrite clear bytes that are not read yet. */
function layOut(plans: readonly FragmentPlan[], { bytes, clearStart }: Room): Buffer {
  const totalBytes = countBytes(plans);
  let at = bytes.length - totalBytes;
  const isFree = plans.every(({ head, payload, payloadStart }) => {
    const target = at + sumBytes(head);
    at = target + payload.length;
    return target <= clearStart + payloadStart;
  });
  return isFree && totalBytes <= bytes.length ? bytes.subarray(-totalBytes) : Buffer.allocUnsafe(totalBytes);
}

function planSegment(segment: Buffer, { cipher, number, firstSample = 0 }: SegmentPosition): FragmentPlan[] {
  const plans: FragmentPlan[] = [];
  let start = 0;
  let nextSample = firstSample;
  for (const box of readBoxes(segment)) {
    if (box.type !== 'mdat') continue;
    const fragment = readFragment(segment.subarray(start, box.end), cipher.sampleDefaults);
    const plan = planFragment(fragment, cipher, { segment: number, firstSample: nextSample });
    plans.push({ ...plan, payloadStart: start + fragment.payloadOffset });
    nextSample += fragment.samples.length;
    start = box.end;
  }
  if (plans.length === 0) throw new BrokenMedia('Expected a fragment in the segment, found none.');
  return plans;
}

/** `iv` is null if the sample has no IV. */
type SamplePlan = { sizeBytes: number; iv: Buffer | null; subsamples: Subsample[] | null };
type FragmentPlan = {
  head: Buffer[];
  payload: Buffer;
  /** Start of the payload in the segment. */
  payloadStart: number;
  samples: SamplePlan[];
};

/** Plans a fragment, so that the output can be laid out once and encrypted in place. */
function planFragment(
  fragment: Fragment,
  cipher: TrackCipher,
  position: FragmentPosition,
): Omit<FragmentPlan, 'payloadStart'> {
  const samples = planSamples(fragment, cipher, position);
  const head = writeProtectedHead(fragment, samples, cipher.openDivider !== null);
  return { head, payload: fragment.payload, samples };
}

function countBytes(plans: readonly FragmentPlan[]): number {
  return plans.reduce((sum, { head, payload }) => sum + sumBytes(head) + payload.length, 0);
}

function sumBytes(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function planSamples({ samples, payload }: Fragment, cipher: TrackCipher, position: FragmentPosition): SamplePlan[] {
  const divide = cipher.openDivider?.() ?? null;
  let at = 0;
  return samples.map(({ sizeBytes }, index) => {
    at += sizeBytes;
    const subsamples = divide === null ? null : divide(payload.subarray(at - sizeBytes, at));
    return { sizeBytes, iv: chooseIv(cipher, position, index), subsamples };
  });
}

function chooseIv(
  { scheme, ivPrefix }: TrackCipher,
  { segment, firstSample }: FragmentPosition,
  index: number,
): Buffer | null {
  return scheme.sampleIvBytes === 0 ? null : sampleIv({ ivPrefix, segment, sample: firstSample + index });
}

/** Writes the senc entry of one sample: its IV, and its subsamples, if any. */
function writeEntry({ iv, subsamples }: SamplePlan): Buffer {
  if (subsamples === null) return iv ?? Buffer.alloc(0);
  const entry = Buffer.allocUnsafe((iv?.length ?? 0) + 2 + subsamples.length * SUBSAMPLE_BYTES);
  let at = iv?.copy(entry, 0) ?? 0;
  at = entry.writeUInt16BE(subsamples.length, at);
  for (const { clearBytes, protectedBytes } of subsamples) {
    at = entry.writeUInt16BE(clearBytes, at);
    at = entry.writeUInt32BE(protectedBytes, at);
  }
  return entry;
}

/**
 * Writes the header of the clear fragment with the encryption boxes at the end of its traf, and adjusts all offsets
 * that they shift.
 */
function writeProtectedHead(fragment: Fragment, plans: readonly SamplePlan[], isDivided: boolean): Buffer[] {
  const entries = plans.map(writeEntry);
  const head = writeFragmentHead(fragment);
  const moofBytes = head.length - MDAT_HEAD_BYTES;
  const moof = requireBox(readBoxes(head.subarray(0, moofBytes)), 'moof');
  const traf = requireBox(moof, 'traf');
  const trun = requireBox(traf, 'trun');
  const senc = writeFullBox('senc', 0, isDivided ? FLAG_SUBSAMPLES : 0, writeU32(entries.length), ...entries);
  const boxes = [senc, ...writeLocators(entries, moofBytes + senc.length)];
  const addedBytes = sumBytes(boxes);
  for (const at of [moof.start, traf.start, trun.payloadStart + 8]) {
    head.writeUInt32BE(head.readUInt32BE(at) + addedBytes, at);
  }
  return [head.subarray(0, moofBytes), ...boxes, head.subarray(moofBytes)];
}

/**
 * Writes saiz and saio: the size of each senc entry, and the offset of the first from the moof. Writes nothing if the
 * entries are empty.
 */
function writeLocators(entries: readonly Buffer[], sencEnd: number): Buffer[] {
  const sizes = Buffer.from(entries.map((entry) => entry.length));
  const [first] = sizes;
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  if (first === undefined || totalBytes === 0) return [];
  const isConstant = sizes.every((size) => size === first);
  const table = isConstant ? Buffer.alloc(0) : sizes;
  return [
    writeFullBox('saiz', 0, 0, Buffer.from([isConstant ? first : 0]), writeU32(entries.length), table),
    writeFullBox('saio', 0, 0, writeU32(1, sencEnd - totalBytes)),
  ];
}
