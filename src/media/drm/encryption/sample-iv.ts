/** Position of a sample under its key. `ivPrefix` is the rendition's number, which is unique. */
export type SamplePlace = { ivPrefix: number; segment: number; sample: number };

const IV_PREFIXES = 2 ** 32;
const SEGMENTS = 2 ** 18;
const SAMPLES = 2 ** 14;

/**
 * Returns the 8-byte IV of a sample: 32 bits of IV prefix, 18 bits of segment number, and 14 bits of the sample's index
 * in its segment. A sample always has the same IV, so encrypting a segment always returns the same bytes. Two samples
 * under one key never share an IV, as long as no two renditions with that key share an IV prefix. Throws for numbers
 * that do not fit.
 */
export function sampleIv({ ivPrefix, segment, sample }: SamplePlace): Buffer {
  requireBelow('ivPrefix', ivPrefix, IV_PREFIXES);
  requireBelow('segment', segment, SEGMENTS);
  requireBelow('sample in a segment', sample, SAMPLES);
  const iv = Buffer.allocUnsafe(8);
  iv.writeUInt32BE(ivPrefix, 0);
  iv.writeUInt32BE(segment * SAMPLES + sample, 4);
  return iv;
}

function requireBelow(what: string, value: number, limit: number): void {
  if (Number.isInteger(value) && value >= 0 && value < limit) return;
  throw new Error(`Expected a ${what} of 0 to ${limit - 1} for an initialisation vector, got ${value}.`);
}
