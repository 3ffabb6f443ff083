import type { Db } from '../../src/catalog/db.ts';
import type { SeenSession } from '../../src/catalog/statistics/sums/statistics-gain.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';

/** Returns a viewing session of ten seconds that began at 10 o'clock, with a test's changes. */
export function someSession(of: { libraryId: number; mediaId: Guid }, fields: Partial<SeenSession> = {}): SeenSession {
  return {
    ...of,
    sessionId: newGuid(),
    startHourMs: Date.parse('2026-08-20T10:00:00Z'),
    sequence: 1,
    watchedSec: [10],
    bucketSec: 1,
    heat: Buffer.from([1, 1]),
    rungSec: [],
    startupMs: 200,
    stallCount: 0,
    stallMs: 0,
    failures: 0,
    referrerHost: '',
    country: 'DE',
    device: 'desktop',
    viewer: null,
    isEstimate: false,
    viewerId: null,
    decideAtMs: 0,
    verdict: 'counted',
    discardedSec: 0,
    ...fields,
  };
}

/** Adds a finished video of 20 s that sessions can refer to. */
export async function addWatchedMedia(db: Db, libraryId: number): Promise<Guid> {
  const id = newGuid();
  const media = { library_id: libraryId, id, type: 'video' as const, title: 'Film', state: 'finished' as const };
  await db
    .insertInto('media')
    .values({ ...media, duration_ms: 20_000 })
    .execute();
  return id;
}
