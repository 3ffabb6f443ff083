import { BrokenMedia } from '../../bmff/broken-media.ts';

const SYNC = 0xfff;
const HEAD_BYTES = 7;
const CRC_BYTES = 2;

/** One AAC frame without its header, and the AudioSpecificConfig equivalent to the header. */
export type AdtsFrame = { config: Buffer; bytes: Buffer };

/**
 * Reads the complete ADTS frames (ISO 13818-7 section 6.2) at the beginning of `bytes`. `usedBytes` is the offset of
 * the remainder. Skips bytes before a frame. Throws BrokenMedia for frames with several blocks, and for channels
 * described by a program config element.
 */
export function readAdts(bytes: Buffer): { frames: AdtsFrame[]; usedBytes: number } {
  const frames: AdtsFrame[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const isFrame = bytes.readUInt16BE(at) >> 4 === SYNC && (bytes.readUInt8(at + 1) & 0x06) === 0;
    const sizeBytes = isFrame ? frameBytes(bytes, at) : 0;
    if (sizeBytes < HEAD_BYTES) {
      at += 1;
      continue;
    }
    if (at + sizeBytes > bytes.length) break;
    frames.push(readFrame(bytes.subarray(at, at + sizeBytes)));
    at += sizeBytes;
  }
  return { frames, usedBytes: at };
}

function frameBytes(bytes: Buffer, at: number): number {
  return ((bytes.readUInt32BE(at + 3) >> 13) & 0x1fff) >>> 0;
}

function readFrame(frame: Buffer): AdtsFrame {
  const hasCrc = (frame.readUInt8(1) & 1) === 0;
  if ((frame.readUInt8(6) & 3) !== 0) throw new BrokenMedia('Expected one block in an ADTS frame, got several.');
  const objectType = (frame.readUInt8(2) >> 6) + 1;
  const rateIndex = (frame.readUInt8(2) >> 2) & 0x0f;
  const channels = ((frame.readUInt8(2) & 1) << 2) | (frame.readUInt8(3) >> 6);
  if (channels === 0) throw new BrokenMedia('Expected a channel configuration in ADTS, got one inside the audio data.');
  const config = Buffer.alloc(2);
  config.writeUInt16BE((objectType << 11) | (rateIndex << 7) | (channels << 3));
  return { config, bytes: frame.subarray(HEAD_BYTES + (hasCrc ? CRC_BYTES : 0)) };
}
