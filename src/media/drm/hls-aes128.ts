import { createCipheriv } from 'node:crypto';
import { writeAttributeText } from './hls-attribute.ts';

const KEY_BYTES = 16;

/**
 * Encrypts a whole segment for basic DRM: AES-128-CBC with PKCS7 padding, the segment's media sequence number
 * as IV (RFC 8216 sections 4.3.2.4 and 5.2). The result is 1 to 16 bytes longer. The init segment stays clear.
 */
export function encryptHlsSegment(segment: Uint8Array, key: Uint8Array, mediaSequence: number): Buffer {
  if (key.length !== KEY_BYTES) throw new Error(`Expected an AES-128 key of ${KEY_BYTES} bytes, got ${key.length}.`);
  if (!Number.isSafeInteger(mediaSequence) || mediaSequence < 0) {
    throw new Error(`Expected a media sequence number from 0 on, got ${mediaSequence}.`);
  }
  const iv = Buffer.alloc(KEY_BYTES);
  iv.writeBigUInt64BE(BigInt(mediaSequence), 8);
  const cipher = createCipheriv('aes-128-cbc', key, iv);
  return Buffer.concat([cipher.update(segment), cipher.final()]);
}

/** Bytes of the encrypted form of a segment, for a length that must be known before. */
export function encryptedHlsSizeBytes(clearBytes: number): number {
  return clearBytes - (clearBytes % KEY_BYTES) + KEY_BYTES;
}

/**
 * The EXT-X-KEY line of basic DRM. It must come after EXT-X-MAP, so that the init segment counts as clear: with
 * no IV attribute an encrypted one is not allowed. Throws on a URI that does not fit in quotes.
 */
export function writeHlsAes128Line(keyUri: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${writeAttributeText(keyUri)}"`;
}
