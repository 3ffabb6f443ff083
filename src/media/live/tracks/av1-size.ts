import { BrokenMedia } from '../../bmff/broken-media.ts';

const SEQUENCE_HEADER = 1;

/** Reads bits of an OBU, most significant bit first. */
function openBits(bytes: Buffer) {
  let at = 0;
  return (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index += 1) {
      const byte = bytes[at >> 3];
      if (byte === undefined) throw new BrokenMedia('Expected more bits in the AV1 sequence header, got its end.');
      value = value * 2 + ((byte >> (7 - (at & 7))) & 1);
      at += 1;
    }
    return value;
  };
}

/** Returns the maximum frame size in the sequence header of an `av1C` (AV1 specification section 5.5.1). */
export function readAv1Size(record: Buffer): { widthPx: number; heightPx: number } {
  const obu = record.subarray(4);
  const head = obu[0] ?? 0;
  if (((head >> 3) & 0x0f) !== SEQUENCE_HEADER) throw new BrokenMedia('Expected a sequence header in av1C.');
  let at = 1 + ((head >> 2) & 1);
  // Skip the leb128 size, if present.
  if ((head & 2) !== 0) while (((obu[at] ?? 0) & 0x80) !== 0) at += 1;
  if ((head & 2) !== 0) at += 1;
  const bits = openBits(obu.subarray(at));
  bits(4);
  const isReduced = bits(1) === 1;
  if (isReduced) bits(5);
  else skipOperatingPoints(bits);
  const widthBits = bits(4) + 1;
  const heightBits = bits(4) + 1;
  return { widthPx: bits(widthBits) + 1, heightPx: bits(heightBits) + 1 };
}

function skipOperatingPoints(bits: (count: number) => number): void {
  let delayBits = 0;
  if (bits(1) === 1) {
    bits(32);
    bits(32);
    if (bits(1) === 1) skipUvlc(bits);
    if (bits(1) === 1) {
      delayBits = bits(5) + 1;
      bits(32);
      bits(10);
    }
  }
  const hasDelays = bits(1) === 1;
  for (let point = bits(5); point >= 0; point -= 1) {
    bits(12);
    if (bits(5) > 7) bits(1);
    if (delayBits > 0 && bits(1) === 1) bits(2 * delayBits + 1);
    if (hasDelays && bits(1) === 1) bits(4);
  }
}

function skipUvlc(bits: (count: number) => number): void {
  let zeros = 0;
  while (zeros < 32 && bits(1) === 0) zeros += 1;
  if (zeros < 32) bits(zeros);
}
