import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readH264SequenceSet } from '../../nal/h264-sequence-set.ts';

const MAX_SIDE_PX = 16_384;

/** Returns the cropped size of the video, from the first SPS of an `avcC` (ISO 14496-15 section 5.3.3). */
export function readAvcSize(record: Buffer): { widthPx: number; heightPx: number } {
  if (record.length < 9 || (record.readUInt8(5) & 0x1f) === 0)
    throw new BrokenMedia('Expected an SPS in avcC, got none.');
  const sizeBytes = record.readUInt16BE(6);
  if (8 + sizeBytes > record.length) throw new BrokenMedia(`Expected an SPS of ${sizeBytes} bytes in avcC, got fewer.`);
  const { widthPx, heightPx } = readH264SequenceSet(record.subarray(8, 8 + sizeBytes));
  if (widthPx > MAX_SIDE_PX || heightPx > MAX_SIDE_PX)
    throw new BrokenMedia(`Expected frames of at most ${MAX_SIDE_PX} pixels per side, got ${widthPx} x ${heightPx}.`);
  return { widthPx, heightPx };
}
