import { childBoxes, readBoxes, requireBox, writeFullBox, writeU32 } from '../cmaf/boxes.ts';
import { BrokenMedia } from '../cmaf/broken-media.ts';
import { type Fragment, readFragment } from '../cmaf/fragment.ts';
import { writeFragmentHead } from '../cmaf/write-fragment.ts';
import { sampleIv } from './sample-iv.ts';
import { SUBSAMPLE_BYTES, type Subsample } from './subsample.ts';
import type { TrackCipher } from './track-cipher.ts';

/** Where a fragment stands: its segment's number, and the index in the segment of the fragment's first sample. */
type FragmentPlace = { segment: number; firstSample: number };

const FLAG_SUBSAMPLES = 2;
const MDAT_HEAD_BYTES = 8;

/** A segment's cipher and number; `firstSample` is the index in the segment of the first sample that is given, 0 unless it is a later one. */
export type SegmentPlace = { cipher: TrackCipher; number: number; firstSample?: number };

/**
 * Encrypts fragments of a segment as they are stored (moof, mdat), mostly all of it, and gives the bytes to serve, in
 * a buffer from `take` where that is given: the samples in a new mdat, and a new moof that says how (senc, saiz, saio;
 * ISO 23001-7 section 7), with sizes and data offset set anew. The same fragments give the same bytes each time.
 * Throws BrokenMedia on damaged bytes.
 */
export function encryptSegment(
  segment: Buffer,
  place: SegmentPlace,
  take: (sizeBytes: number) => Buffer = Buffer.allocUnsafe,
): Buffer {
  return writeFragments(planSegment(segment, place), place.cipher, take);
}

/** How many bytes `encryptSegment` would give, without encrypting any. */
export function measureEncrypted(segment: Buffer, place: SegmentPlace): number {
  return countBytes(planSegment(segment, place));
}

function planSegment(segment: Buffer, { cipher, number, firstSample = 0 }: SegmentPlace): FragmentPlan[] {
  const plans: FragmentPlan[] = [];
  let start = 0;
  let nextSample = firstSample;
  for (const box of readBoxes(segment)) {
    if (box.type !== 'mdat') continue;
    const fragment = readFragment(segment.subarray(start, box.end), cipher.sampleDefaults);
    plans.push(planFragment(fragment, cipher, { segment: number, firstSample: nextSample }));
    nextSample += fragment.samples.length;
    start = box.end;
  }
  if (plans.length === 0) throw new BrokenMedia('Expected a fragment in the segment, found none.');
  return plans;
}

/** `iv` null: the sample carries none of its own. */
type SamplePlan = { sizeBytes: number; iv: Buffer | null; subsamples: Subsample[] | null };
type FragmentPlan = { head: Buffer[]; payload: Buffer; samples: SamplePlan[] };

/** Plans first, so that the output is laid out once and encrypted in place. */
function planFragment(fragment: Fragment, cipher: TrackCipher, place: FragmentPlace): FragmentPlan {
  const samples = planSamples(fragment, cipher, place);
  const head = writeProtectedHead(fragment, samples, cipher.openDivider !== null);
  return { head, payload: fragment.payload, samples };
}

function writeFragments(
  plans: readonly FragmentPlan[],
  cipher: TrackCipher,
  take: (sizeBytes: number) => Buffer,
): Buffer {
  const bytes = take(countBytes(plans));
  let at = 0;
  for (const { head, payload, samples } of plans) {
    for (const part of head) at += part.copy(bytes, at);
    payload.copy(bytes, at);
    for (const { sizeBytes, iv, subsamples } of samples) {
      const sample = bytes.subarray(at, at + sizeBytes);
      cipher.scheme.encryptSample({
        bytes: sample,
        subsamples,
        secret: cipher.secret,
        iv: iv ?? cipher.key.constantIv,
      });
      at += sizeBytes;
    }
  }
  return bytes;
}

function countBytes(plans: readonly FragmentPlan[]): number {
  const parts = plans.flatMap(({ head, payload }) => [...head, payload]);
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function planSamples({ samples, payload }: Fragment, cipher: TrackCipher, place: FragmentPlace): SamplePlan[] {
  const divide = cipher.openDivider?.() ?? null;
  let at = 0;
  return samples.map(({ sizeBytes }, index) => {
    at += sizeBytes;
    const subsamples = divide === null ? null : divide(payload.subarray(at - sizeBytes, at));
    return { sizeBytes, iv: chooseIv(cipher, place, index), subsamples };
  });
}

function chooseIv(
  { scheme, lane }: TrackCipher,
  { segment, firstSample }: FragmentPlace,
  index: number,
): Buffer | null {
  return scheme.sampleIvBytes === 0 ? null : sampleIv({ lane, segment, sample: firstSample + index });
}

/** One sample's entry in senc: its IV, and where it has them its subsamples. */
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

/** The clear fragment's head with the encryption boxes put in at the end of its traf, and all that they move. */
function writeProtectedHead(fragment: Fragment, plans: readonly SamplePlan[], isDivided: boolean): Buffer[] {
  const entries = plans.map(writeEntry);
  const head = writeFragmentHead(fragment);
  const moofBytes = head.length - MDAT_HEAD_BYTES;
  const moof = requireBox(head, readBoxes(head, 0, moofBytes), ['moof']);
  const traf = requireBox(head, childBoxes(head, moof), ['traf']);
  const trun = requireBox(head, childBoxes(head, traf), ['trun']);
  const senc = writeFullBox('senc', 0, isDivided ? FLAG_SUBSAMPLES : 0, writeU32(entries.length), ...entries);
  const boxes = [senc, ...writeLocators(entries, moofBytes + senc.length)];
  const addedBytes = boxes.reduce((sum, box) => sum + box.length, 0);
  for (const at of [moof.start, traf.start, trun.payloadStart + 8]) {
    head.writeUInt32BE(head.readUInt32BE(at) + addedBytes, at);
  }
  return [head.subarray(0, moofBytes), ...boxes, head.subarray(moofBytes)];
}

/** saiz and saio: the size of each senc entry and, from the moof, where the first begins. None for empty entries. */
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
