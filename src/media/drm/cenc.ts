import { createCipheriv } from 'node:crypto';
import type { ProtectionScheme, SampleJob } from './protection-scheme.ts';

const BLOCK_BYTES = 16;

/**
 * AES-CTR, every block (ISO 23001-7 section 10.1). The counter block is the sample's 8-byte IV and a 64-bit
 * block count from 0, which runs on over the sample's protected parts.
 */
export const cenc: ProtectionScheme = {
  name: 'cenc',
  hlsMethod: 'SAMPLE-AES-CTR',
  sampleIvBytes: 8,
  isBlockAligned: true,
  videoPattern: null,
  encryptSample,
};

function encryptSample({ bytes, subsamples, secret, iv }: SampleJob): void {
  const cipher = createCipheriv('aes-128-ctr', secret, Buffer.concat([iv], BLOCK_BYTES));
  if (subsamples === null) {
    bytes.set(cipher.update(bytes));
    return;
  }
  let at = 0;
  for (const { clearBytes, protectedBytes } of subsamples) {
    at += clearBytes;
    if (protectedBytes > 0) bytes.set(cipher.update(bytes.subarray(at, at + protectedBytes)), at);
    at += protectedBytes;
  }
}
