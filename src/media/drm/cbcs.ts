import { createCipheriv, type KeyObject } from 'node:crypto';
import type { ProtectionScheme, SampleJob } from './protection-scheme.ts';

const BLOCK_BYTES = 16;
/** 1 block in 10: the pattern that FairPlay and every hardware decoder know. */
const STRIDE_BYTES = 10 * BLOCK_BYTES;

/**
 * AES-CBC, one block in ten of video and every whole block of sound, with one constant IV (ISO 23001-7 section
 * 10.4). The chain starts anew at each protected part and leaps over skipped blocks; a rest below 16 bytes
 * stays clear.
 */
export const cbcs: ProtectionScheme = {
  name: 'cbcs',
  hlsMethod: 'SAMPLE-AES',
  sampleIvBytes: 0,
  isBlockAligned: false,
  videoPattern: { cryptBlocks: 1, skipBlocks: 9 },
  encryptSample,
};

function encryptSample({ bytes, subsamples, secret, iv }: SampleJob): void {
  if (subsamples === null) {
    const blocks = bytes.subarray(0, bytes.length - (bytes.length % BLOCK_BYTES));
    blocks.set(encryptChain(blocks, secret, iv));
    return;
  }
  let at = 0;
  for (const { clearBytes, protectedBytes } of subsamples) {
    at += clearBytes;
    encryptPattern(bytes.subarray(at, at + protectedBytes), secret, iv);
    at += protectedBytes;
  }
}

/** Collects the blocks of the pattern, encrypts them as one chain and puts them back. */
function encryptPattern(part: Buffer, secret: KeyObject, iv: Buffer): void {
  const blocks = Math.ceil((part.length - BLOCK_BYTES + 1) / STRIDE_BYTES);
  if (blocks <= 0) return;
  const chain = Buffer.allocUnsafe(blocks * BLOCK_BYTES);
  copyBlocks(part, STRIDE_BYTES, chain, BLOCK_BYTES, blocks);
  copyBlocks(encryptChain(chain, secret, iv), BLOCK_BYTES, part, STRIDE_BYTES, blocks);
}

/** Byte by byte: for 16 bytes a loop is several times faster than a call of `copy` or `set`. */
function copyBlocks(from: Buffer, fromStep: number, to: Buffer, toStep: number, blocks: number): void {
  for (let block = 0; block < blocks; block += 1) {
    const source = block * fromStep;
    const target = block * toStep;
    // The caller counted the blocks so that every index lies inside both buffers.
    for (let byte = 0; byte < BLOCK_BYTES; byte += 1) to[target + byte] = from[source + byte] as number;
  }
}

function encryptChain(blocks: Buffer, secret: KeyObject, iv: Buffer): Buffer {
  return createCipheriv('aes-128-cbc', secret, iv).setAutoPadding(false).update(blocks);
}
