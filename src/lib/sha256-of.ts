import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a stream (32 raw bytes) in O(1) memory. */
export async function sha256Of(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const bytes of body) hash.update(bytes);
  return hash.digest();
}
