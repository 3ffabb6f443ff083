/** Position of a sample under its key. `ivPrefix` is the rendition's number, which no other rendition ever has. */
export type SamplePlace = { ivPrefix: number; segment: number; sample: number };

const IV_PREFIXES = 2 ** 32;
const SEGMENTS = 2 ** 18;
const SAMPLES = 2 ** 14;

/**
 * Returns the 8-byte IV of a sample: 32 bits of IV prefix, 18 of segment, 14 of the sample's index in its segment. The
 * same sample always has the same IV, so a segment is encrypted to the same bytes each time. Two samples under one key
 * never share an IV as long as no two renditions under it share an IV prefix. Throws on numbers that do not fit.
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
