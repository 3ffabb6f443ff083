import { stillKey } from '../../catalog/live/viewing/still-store.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { type Answer, CACHE_FOR_EVER, notFound } from '../http/answer.ts';

/** Serves the still image that shows a live stream at a given time. */
export async function serveStill(publication: Publication, atMs: number, storage: EdgeStorage): Promise<Answer> {
  const key = stillKey(publication, atMs);
  const found = await storage.head(key);
  if (found === null) return notFound('unknown-picture');
  const window = { key, version: '', start: 0, sizeBytes: found.sizeBytes };
  return {
    kind: 'object',
    window,
    contentType: 'image/jpeg',
    cacheControl: CACHE_FOR_EVER,
    etag: `"${atMs}"`,
    modifiedAt: found.modifiedAt,
  };
}
