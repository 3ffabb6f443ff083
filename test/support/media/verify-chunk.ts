import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BrokenMedia } from '../../../src/media/bmff/broken-media.ts';
import { type ChunkIndex, decodeIdx } from '../../../src/media/cmaf/idx.ts';

/**
 * Checks a stored chunk against its `.idx`: length, sha256 of the object, CRC32 of each fragment. Returns the index.
 * Throws BrokenMedia with the first fragment that differs.
 */
export function verifyChunk(objectBytes: Buffer, idx: Buffer): ChunkIndex {
  const index = decodeIdx(idx);
  if (objectBytes.length !== index.sizeBytes) {
    throw new BrokenMedia(`Expected a chunk of ${index.sizeBytes} bytes, got ${objectBytes.length}.`);
  }
  let at = 0;
  index.fragments.forEach((fragment, number) => {
    const end = at + fragment.prefixBytes + fragment.payloadBytes;
    const came = crc32(objectBytes.subarray(at, end));
    if (came !== fragment.crc32) {
      throw new BrokenMedia(
        `Expected fragment ${number} (bytes ${at} to ${end}) with CRC ${fragment.crc32}, got ${came}.`,
      );
    }
    at = end;
  });
  const sha256 = createHash('sha256').update(objectBytes).digest();
  if (!sha256.equals(index.sha256)) {
    throw new BrokenMedia(
      `Expected a chunk with sha256 ${index.sha256.toString('hex')}, got ${sha256.toString('hex')}.`,
    );
  }
  return index;
}
