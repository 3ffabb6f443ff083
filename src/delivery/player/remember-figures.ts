import type { MediaKey } from '../../catalog/db.ts';
import { MAX_BUCKETS } from '../../catalog/statistics/sessions/viewing-ticket.ts';
import { parseGuid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { FreshCache } from '../cache/fresh-cache.ts';

/** Loads a statistic of a media item. Returns null if there is none. */
type Load<Figure> = (key: MediaKey) => Promise<Figure | null>;

/** Time for which a statistic is cached, in ms. Every page load and poll needs it. */
const TTL_MS = 10_000;
const CACHE_BYTES = 8 * 2 ** 20;
/** Maximum size of a cached value, which is a heat curve, in bytes. */
const MAX_BYTES = 8 * MAX_BUCKETS;
const MAX_LOADS = 20;
/** Maximum wait of a page for a statistic, in ms. */
const PATIENCE_MS = 1_300;

/** Caches each statistic for ten seconds. Pages omit a value that the database does not return in time. */
export function rememberFigures<Figure>(load: Load<Figure>): Load<Figure> {
  const figures = new FreshCache({
    layer: 'figures',
    ...{ ttlMs: TTL_MS, absentTtlMs: TTL_MS, maxBytes: CACHE_BYTES, maxLoads: MAX_LOADS },
    firstPatienceMs: PATIENCE_MS,
    load: (key) => load(readKey(key)),
    sizeBytes: () => MAX_BYTES,
    onLoadError: (err, key) => logEvent('figures.unread', { err, name: key }),
  });
  return ({ libraryId, mediaId }) =>
    figures.get(`${libraryId}/${mediaId}`).catch((error: unknown) => {
      if (error instanceof Refused && error.kind === 'unavailable') return null;
      throw error;
    });
}

function readKey(key: string) {
  const [library, media = ''] = key.split('/');
  const mediaId = parseGuid(media);
  if (mediaId === null) throw new Error(`Expected a cache key with a library and a media id, got ${key}.`);
  return { libraryId: Number(library), mediaId };
}
