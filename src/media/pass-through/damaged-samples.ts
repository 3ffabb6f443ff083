import type { NalLayout } from './cut-head.ts';

const SLICE = 1;
const IDR_SLICE = 5;
const FORBIDDEN_BIT = 0x80;
/** NAL type of filler data: `ff` bytes and a stop bit, which decoders skip (ISO 14496-10 section 7.3.2.7). */
const FILLER = 12;
const FILLER_BYTE = 0xff;
const STOP_BYTE = 0x80;

/**
 * Finds the samples of a fragment from which no decoder outputs a frame: samples that their NAL units do not fill
 * exactly (ISO 14496-15 section 5.3.2), or that contain no slice. Chromium ends playback permanently at such a sample.
 * Overwrites them with filler data, so that they can become the tail of the previous sample. Returns their indices in
 * the fragment. Never includes the first sample or one too small for a filler NAL unit.
 */
export function fillDamagedSamples(
  payload: Buffer,
  sizesBytes: readonly number[],
  { nalLengthBytes }: Pick<NalLayout, 'nalLengthBytes'>,
): number[] {
  const damaged: number[] = [];
  let at = 0;
  for (const [index, sizeBytes] of sizesBytes.entries()) {
    const sample = payload.subarray(at, at + sizeBytes);
    if (index > 0 && fitsFiller(sizeBytes, nalLengthBytes) && !hasPicture(sample, nalLengthBytes)) {
      fill(sample, nalLengthBytes);
      damaged.push(index);
    }
    at += sizeBytes;
  }
  return damaged;
}

function fitsFiller(sizeBytes: number, nalLengthBytes: number): boolean {
  const unitBytes = sizeBytes - nalLengthBytes;
  return unitBytes > 1 && unitBytes < 256 ** nalLengthBytes;
}

function hasPicture(sample: Buffer, nalLengthBytes: number): boolean {
  let hasSlice = false;
  let at = 0;
  while (at + nalLengthBytes < sample.length) {
    const head = sample.readUInt8(at + nalLengthBytes);
    const type = head & 31;
    if (type >= SLICE && type <= IDR_SLICE && (head & FORBIDDEN_BIT) === 0) hasSlice = true;
    at += nalLengthBytes + sample.readUIntBE(at, nalLengthBytes);
  }
  return hasSlice && at === sample.length;
}

function fill(sample: Buffer, nalLengthBytes: number): void {
  sample.fill(FILLER_BYTE);
  sample.writeUIntBE(sample.length - nalLengthBytes, 0, nalLengthBytes);
  sample[nalLengthBytes] = FILLER;
  sample[sample.length - 1] = STOP_BYTE;
}
