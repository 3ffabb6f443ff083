import { openNalBits } from './bit-reader.ts';
import { readH264SequenceSet } from './h264-sequence-set.ts';

const EXTENDED_ASPECT = 255;

/**
 * Whether an SPS of H.264 differs from another one only in its video usability information (VUI) and describes no
 * colours itself, so that its frames can be decoded and shown with the other one. Chromium sends such an SPS while a
 * track is muted. Throws BrokenMedia if one of them cannot be parsed.
 */
export function isWithoutColours(nal: Uint8Array, other: Uint8Array): boolean {
  const [bits, otherBits] = [nal, other].map((set) => {
    const length = readH264SequenceSet(set).usabilityAtBit;
    const reader = openNalBits(set);
    return Array.from({ length }, () => reader.bit()).join('');
  });
  return bits === otherBits && !hasColours(nal);
}

/** Whether the VUI has a video signal type (H.264 section E.1.1). */
function hasColours(nal: Uint8Array): boolean {
  const reader = openNalBits(nal);
  for (let left = readH264SequenceSet(nal).usabilityAtBit; left > 0; left -= 1) reader.bit();
  if (reader.bit() === 0) return false;
  if (reader.bit() === 1 && reader.bits(8) === EXTENDED_ASPECT) reader.bits(32);
  if (reader.bit() === 1) reader.bit();
  return reader.bit() === 1;
}
