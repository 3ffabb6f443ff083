import type { SeenSession } from '../../src/catalog/statistics/statistics-gain.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';

/** A viewing session of ten seconds that began at 10 o'clock, with what a test changes of it. */
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
    ...fields,
  };
}
