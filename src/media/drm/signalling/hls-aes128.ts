import type { EncryptInPlace } from '../../../lib/aes.ts';

const BLOCK_BYTES = 16;
/** Bytes per step, a multiple of the block size. */
const STEP_BYTES = 2 * 2 ** 20;

/**
 * Encrypts a whole segment for basic DRM, in steps of about 2 ms: AES-128-CBC with PKCS7 padding and the segment's
 * media sequence number as IV (RFC 8216 sections 4.3.2.4 and 5.2). `room` begins with the `clearBytes` of the segment
 * and has the size of the encrypted form, which overwrites them. `encrypt` must be opened for `cbc`. The init segment
 * stays clear.
 */
export function* encryptHlsSegment(
  { room, clearBytes }: { room: Buffer; clearBytes: number },
  encrypt: EncryptInPlace,
  mediaSequence: number,
): Generator<undefined, Buffer> {
  if (!Number.isSafeInteger(mediaSequence) || mediaSequence < 0) {
    throw new Error(`Expected a media sequence number from 0 on, got ${mediaSequence}.`);
  }
  if (room.length !== encryptedHlsSizeBytes(clearBytes)) {
    throw new Error(`Expected room for ${encryptedHlsSizeBytes(clearBytes)} bytes, got ${room.length}.`);
  }
  room.fill(room.length - clearBytes, clearBytes);
  const first = Buffer.alloc(BLOCK_BYTES);
  first.writeBigUInt64BE(BigInt(mediaSequence), 8);
  let iv: Buffer = first;
  for (let at = 0; at < room.length; at += STEP_BYTES) {
    if (at > 0) yield;
    const step = room.subarray(at, at + STEP_BYTES);
    encrypt(step, iv);
    // The chain continues with the last block.
    iv = step.subarray(-BLOCK_BYTES);
  }
  return room;
}

/** Returns the encrypted size of a segment in bytes. */
export function encryptedHlsSizeBytes(clearBytes: number): number {
  return clearBytes - (clearBytes % BLOCK_BYTES) + BLOCK_BYTES;
}
