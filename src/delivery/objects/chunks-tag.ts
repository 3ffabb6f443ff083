import { createHash } from 'node:crypto';
import type { StoredChunk } from '../../catalog/publications/publication.ts';

const TAG_DIGITS = 24;
const known = new WeakMap<readonly StoredChunk[], string>();

/** Returns a tag for a rendition's chunk objects. It changes when a chunk is added, merged or replaced. */
export function chunksTag(chunks: readonly StoredChunk[]): string {
  const found = known.get(chunks);
  if (found !== undefined) return found;
  const hash = createHash('sha256');
  for (const { storageKey } of chunks) hash.update(storageKey).update('\n');
  const tag = hash.digest('hex').slice(0, TAG_DIGITS);
  known.set(chunks, tag);
  return tag;
}
