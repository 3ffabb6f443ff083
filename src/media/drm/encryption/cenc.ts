import type { ProtectionScheme, SampleJob } from './protection-scheme.ts';

const BLOCK_BYTES = 16;
/** Offset of the lower half of the block count. No sample needs the upper half. */
const COUNT_AT = 12;

/**
 * AES-CTR over every block (ISO 23001-7 section 10.1). The counter block is the sample's 8-byte IV and a 64-bit block
 * count from 0, which continues across the sample's protected parts.
 */
export const cenc: ProtectionScheme = {
  name: 'cenc',
  hlsMethod: 'SAMPLE-AES-CTR',
  aesMode: 'ctr',
  sampleIvBytes: 8,
  isBlockAligned: true,
  videoPattern: null,
  encryptSample,
};

function encryptSample({ bytes, subsamples, encrypt, iv }: SampleJob): void {
  const counter = Buffer.alloc(BLOCK_BYTES);
  iv.copy(counter);
  let at = 0;
  let blocks = 0;
  for (const { clearBytes, protectedBytes } of subsamples ?? [{ clearBytes: 0, protectedBytes: bytes.length }]) {
    at += clearBytes;
    counter.writeUInt32BE(blocks, COUNT_AT);
    encrypt(bytes.subarray(at, at + protectedBytes), counter);
    at += protectedBytes;
    // All parts except the last consist of whole blocks.
    blocks += protectedBytes / BLOCK_BYTES;
  }
}
