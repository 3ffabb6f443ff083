import { MAX_BUCKETS } from '../../catalog/statistics/sessions/viewing-ticket.ts';
import { parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { FreshCache } from '../cache/fresh-cache.ts';
import type { EdgeLog, EdgeViewing } from '../edge-deps.ts';

type HeatCurve = EdgeViewing['heatCurve'];

/** Every page and every poll of one shows the curve, which changes slowly. */
const TTL_MS = 10_000;
const CACHE_BYTES = 8 * 2 ** 20;
const MAX_LOADS = 20;

/** Reads each curve once in ten seconds. A page does without while the database is away and none is known. */
export function rememberHeatCurves(load: HeatCurve, log: EdgeLog): HeatCurve {
  const curves = new FreshCache({
    ...{ ttlMs: TTL_MS, absentTtlMs: TTL_MS, maxBytes: CACHE_BYTES, maxLoads: MAX_LOADS },
    load: (key) => load(readKey(key)),
    sizeBytes: (curve) => 8 * Math.max(curve.length, MAX_BUCKETS),
    onLoadError: (err, key) => log.warn({ err, key }, 'A heat curve could not be read; the last known one is shown.'),
  });
  return ({ libraryId, mediaId }) =>
    curves.get(`${libraryId}/${mediaId}`).catch((error: unknown) => {
      if (error instanceof Refused && error.kind === 'unavailable') return null;
      throw error;
    });
}

function readKey(key: string) {
  const [library, media = ''] = key.split('/');
  const mediaId = parseGuid(media);
  if (mediaId === null) throw new Error(`Expected a key of library and media, got ${key}.`);
  return { libraryId: Number(library), mediaId };
}
