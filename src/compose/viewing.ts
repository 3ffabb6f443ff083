import { hkdfSync } from 'node:crypto';
import type { Db } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { EdgeViewing } from '../delivery/edge-deps.ts';

const SECRET_BYTES = 32;

/** Opens what the edge counts visits with. Every edge that has the secret key accepts the others' tickets. */
export async function openViewing({ secretKey, countryDatabase }: RoleSettings, db: Db): Promise<EdgeViewing> {
  const [{ countSessions }, { createStatisticsStore }, { openMmdb }] = await Promise.all([
    import('../catalog/statistics/viewing-session-store.ts'),
    import('../catalog/statistics/statistics-store.ts'),
    import('../adapters/geo/mmdb.ts'),
  ]);
  return {
    count: (sessions) => countSessions(db, sessions),
    heatCurve: createStatisticsStore(db).heatCurve,
    geo: await openMmdb(countryDatabase),
    ticketSecret: new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace viewing tickets', SECRET_BYTES)),
  };
}
