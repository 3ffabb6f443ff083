import type { EncryptInPlace } from '../../../lib/aes.ts';
import type { ProtectionScheme, SampleJob } from './protection-scheme.ts';

const BLOCK_BYTES = 16;
/** Pattern of 1 block in 10, which FairPlay and all hardware decoders support. */
const STRIDE_BYTES = 10 * BLOCK_BYTES;

/**
 * AES-CBC over one block in ten of video and every whole block of audio, with one constant IV (ISO 23001-7 section
 * 10.4). The chain restarts at each protected part and skips unencrypted blocks. A remainder shorter than 16 bytes
 * stays clear.
 */
export const cbcs: ProtectionScheme = {
  name: 'cbcs',
  hlsMethod: 'SAMPLE-AES',
  aesMode: 'cbc',
  sampleIvBytes: 0,
  isBlockAligned: false,
  videoPattern: { cryptBlocks: 1, skipBlocks: 9 },
  encryptSample,
};

function encryptSample({ bytes, subsamples, encrypt, iv }: SampleJob): void {
  if (subsamples === null) {
    encrypt(bytes, iv);
    return;
  }
  let at = 0;
  for (const { clearBytes, protectedBytes } of subsamples) {
    at += clearBytes;
    encryptPattern(bytes.subarray(at, at + protectedBytes), encrypt, iv);
    at += protectedBytes;
  }
}

/** Collects the blocks of the pattern, encrypts them as one chain and copies them back. */
function encryptPattern(part: Buffer, encrypt: EncryptInPlace, iv: Buffer): void {
  const blocks = Math.ceil((part.length - BLOCK_BYTES + 1) / STRIDE_BYTES);
  if (blocks <= 0) return;
  const chain = Buffer.allocUnsafe(blocks * BLOCK_BYTES);
  const [wide, dense] = [viewOf(part), viewOf(chain)];
  for (let block = 0; block < blocks; block += 1) copyBlock(wide, block * STRIDE_BYTES, dense, block * BLOCK_BYTES);
  encrypt(chain, iv);
  for (let block = 0; block < blocks; block += 1) copyBlock(dense, block * BLOCK_BYTES, wide, block * STRIDE_BYTES);
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/**
 * Copies two machine words without allocating objects. For 16 bytes, this is many times faster than `copy` or `set`.
 */
function copyBlock(from: DataView, fromAt: number, to: DataView, toAt: number): void {
  to.setBigInt64(toAt, from.getBigInt64(fromAt));
  to.setBigInt64(toAt + 8, from.getBigInt64(fromAt + 8));
}
