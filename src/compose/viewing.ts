import { createSecretKey, hkdfSync } from 'node:crypto';
import type { Db } from '../catalog/db.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { EdgeViewing } from '../delivery/edge-deps.ts';
import { newGuid } from '../lib/guid.ts';
import type { SecretRing } from '../lib/secret-ring.ts';

const SECRET_BYTES = 32;

/**
 * Opens the part of the edge that counts viewing sessions. All edges with the same secret key accept each other's
 * tickets.
 */
export async function openViewing(
  { countsUniqueViewers, countsOtherPlayers, countsByRate, database }: RoleSettings,
  { db, secrets }: { db: Db; secrets: SecretRing },
): Promise<EdgeViewing> {
  const [{ VisitCounter }, { keepDelivered }, { createStatisticsStore }, { countViewersNow }] = await Promise.all([
    import('../delivery/traffic/visit-counter.ts'),
    import('../catalog/statistics/sums/delivered-store.ts'),
    import('../catalog/statistics/reports/statistics-store.ts'),
    import('../catalog/statistics/reports/audience-store.ts'),
  ]);
  const statistics = createStatisticsStore(db);
  const ticketSecret = secrets.derive((key) =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', key, '', 'millrace viewing tickets', SECRET_BYTES))),
  );
  const options = { countsEstimates: countsOtherPlayers, countsByRate };
  const writer = newGuid();
  return {
    visits: new VisitCounter({ thread: { connection: database, options, countsUniqueViewers }, ticketSecret }),
    keepDelivered: (totals) => keepDelivered(db, writer, totals),
    heatCurve: statistics.heatCurve,
    viewersNow: (key) => countViewersNow(db, key),
    ticketSecret,
  };
}
