import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { EdgeViewing } from '../delivery/edge-deps.ts';

const SECRET_BYTES = 32;

/** Opens what the edge counts visits with. Every edge that has the secret key accepts the others' tickets. */
export async function openViewing(
  { secretKey, countryDatabase }: RoleSettings,
  { db, log }: { db: Db; log: Logger },
): Promise<EdgeViewing> {
  const [{ countSessions }, { createStatisticsStore }, { openMmdb }] = await Promise.all([
    import('../catalog/statistics/viewing-session-store.ts'),
    import('../catalog/statistics/statistics-store.ts'),
    import('../adapters/geo/mmdb.ts'),
  ]);
  const statistics = createStatisticsStore(db);
  return {
    count: (sessions) => countSessions(db, sessions),
    // The page does without the curve while the database is away.
    heatCurve: (key) =>
      statistics.heatCurve(key).catch((err: unknown) => {
        log.warn({ err }, 'A heat curve could not be read: the page is served without it.');
        return null;
      }),
    geo: await openMmdb(countryDatabase),
    ticketSecret: new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace viewing tickets', SECRET_BYTES)),
  };
}
