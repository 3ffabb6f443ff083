import { BrokenMedia } from '../bmff/broken-media.ts';
import { type BitReader, openNalBits } from '../drm/bit-reader.ts';

const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
const MOST_SIDE_MACROBLOCKS = 1024;

/** Width and height of the pictures after cropping, from the first SPS of an `avcC` (ITU-T H.264 section 7.3.2.1.1). */
export function readAvcSize(record: Buffer): { widthPx: number; heightPx: number } {
  if (record.length < 9 || (record.readUInt8(5) & 0x1f) === 0)
    throw new BrokenMedia('Expected an SPS in avcC, got none.');
  const sizeBytes = record.readUInt16BE(6);
  if (8 + sizeBytes > record.length) throw new BrokenMedia(`Expected an SPS of ${sizeBytes} bytes in avcC, got fewer.`);
  return readSps(openNalBits(record.subarray(8, 8 + sizeBytes)));
}

function readSps(reader: BitReader): { widthPx: number; heightPx: number } {
  const profile = reader.bits(8);
  reader.bits(16);
  reader.ue(31);
  const chromaFormat = HIGH_PROFILES.has(profile) ? readChroma(reader) : 1;
  reader.ue(12);
  skipOrder(reader);
  reader.ue();
  reader.bit();
  const widthUnits = reader.ue(MOST_SIDE_MACROBLOCKS) + 1;
  const heightUnits = reader.ue(MOST_SIDE_MACROBLOCKS) + 1;
  const framesOnly = reader.bit();
  if (framesOnly === 0) reader.bit();
  reader.bit();
  const crop = reader.bit() === 1 ? [reader.ue(), reader.ue(), reader.ue(), reader.ue()] : [0, 0, 0, 0];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const unitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const unitY = (chromaFormat === 1 ? 2 : 1) * (2 - framesOnly);
  const widthPx = widthUnits * 16 - (left + right) * unitX;
  const heightPx = heightUnits * 16 * (2 - framesOnly) - (top + bottom) * unitY;
  if (widthPx < 1 || heightPx < 1) throw new BrokenMedia(`Expected pictures in an SPS, got ${widthPx} x ${heightPx}.`);
  return { widthPx, heightPx };
}

function readChroma(reader: BitReader): number {
  const format = reader.ue(3);
  const planes = format === 3 ? reader.bit() : 0;
  reader.ue(6);
  reader.ue(6);
  reader.bit();
  if (reader.bit() === 1) {
    for (let list = 0; list < (format === 3 ? 12 : 8); list += 1)
      if (reader.bit() === 1) skipList(reader, list < 6 ? 16 : 64);
  }
  return planes === 1 ? 0 : format;
}

function skipList(reader: BitReader, size: number): void {
  let last = 8;
  for (let index = 0; index < size; index += 1) {
    const next = (last + reader.se() + 256) % 256;
    if (next === 0) return;
    last = next;
  }
}

function skipOrder(reader: BitReader): void {
  const type = reader.ue(2);
  if (type === 0) reader.ue(12);
  if (type !== 1) return;
  reader.bit();
  reader.se();
  reader.se();
  const cycle = reader.ue(255);
  for (let index = 0; index < cycle; index += 1) reader.se();
}
