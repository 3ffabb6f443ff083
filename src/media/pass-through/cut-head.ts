/**
 * Findings in the first bytes of a sample at which a segment could begin. `idr` and `not-idr` are the type of its first
 * slice. `damaged`: the NAL lengths do not match the sample size. `unknown`: no slice begins in these bytes.
 * `hasOtherParameterSets`: an in-band SPS or PPS differs from those of the decoder configuration.
 */
export type CutHead = {
  sample: number;
  picture: 'idr' | 'not-idr' | 'damaged' | 'unknown';
  hasOtherParameterSets: boolean;
};

/** Layout of NAL units in a sample, from the decoder configuration. */
export type NalLayout = { nalLengthBytes: number; parameterSets: readonly Buffer[] };

const SLICE = 1;
const IDR_SLICE = 5;
const SPS = 7;
const PPS = 8;

/**
 * Examines the NAL units of a sample (ISO 14496-15 section 5.3.2, H.264 section 7.4.1) up to its first slice. `head` is
 * the beginning of the sample, and `sampleBytes` its whole size. This detects open GOPs, whose frames are listed as
 * sync samples but are not IDR.
 */
export function parseCutHead(head: Buffer, sample: { number: number; sizeBytes: number }, layout: NalLayout): CutHead {
  const result: CutHead = { sample: sample.number, picture: 'unknown', hasOtherParameterSets: false };
  const { nalLengthBytes } = layout;
  let at = 0;
  while (at + nalLengthBytes < head.length) {
    const length = head.readUIntBE(at, nalLengthBytes);
    const start = at + nalLengthBytes;
    if (length === 0 || length > sample.sizeBytes - start) return { ...result, picture: 'damaged' };
    const type = head.readUInt8(start) & 31;
    if (type >= SLICE && type <= IDR_SLICE) return { ...result, picture: type === IDR_SLICE ? 'idr' : 'not-idr' };
    if (type === SPS || type === PPS) {
      const unit = head.subarray(start, start + length);
      if (!layout.parameterSets.some((known) => known.equals(unit))) result.hasOtherParameterSets = true;
    }
    at = start + length;
  }
  return result;
}
