import { createSecretKey, hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { Db } from '../catalog/db.ts';
import { createPlaceViewer } from '../catalog/statistics/viewer-salts.ts';
import type { RoleSettings } from '../config/settings.ts';
import type { EdgeViewing } from '../delivery/edge-deps.ts';
import { newGuid } from '../lib/guid.ts';

const SECRET_BYTES = 32;

/** Opens what the edge counts visits with. Every edge that has the secret key accepts the others' tickets. */
export async function openViewing(
  { secretKey, countryDatabase, countsUniqueViewers, countsOtherPlayers, database }: RoleSettings,
  { db, log }: { db: Db; log: Logger },
): Promise<EdgeViewing & { close(): Promise<void> }> {
  const [{ openSessionCounter }, { keepDelivered }, salts, { createStatisticsStore }, { openMmdb }] = await Promise.all(
    [
      import('./session-counter.ts'),
      import('../catalog/statistics/delivered-store.ts'),
      import('../catalog/statistics/viewer-salt-store.ts'),
      import('../catalog/statistics/statistics-store.ts'),
      import('../adapters/geo/mmdb.ts'),
    ],
  );
  const statistics = createStatisticsStore(db);
  const counter = openSessionCounter(database, { countsEstimates: countsOtherPlayers });
  const writer = newGuid();
  const loadSalt = (dayMs: number) => salts.loadViewerSalt(db, dayMs, Date.now());
  const saltError = (err: unknown) =>
    log.warn({ err }, 'The salt of a day could not be read: viewers are placed later.');
  return {
    count: counter.count,
    close: counter.close,
    placeViewer: countsUniqueViewers ? createPlaceViewer(loadSalt, saltError) : () => null,
    keepDelivered: (totals) => keepDelivered(db, writer, totals),
    // The page does without the curve while the database is away.
    heatCurve: (key) =>
      statistics.heatCurve(key).catch((err: unknown) => {
        log.warn({ err }, 'A heat curve could not be read: the page is served without it.');
        return null;
      }),
    geo: await openMmdb(countryDatabase),
    ticketSecret: createSecretKey(
      new Uint8Array(hkdfSync('sha256', secretKey, '', 'millrace viewing tickets', SECRET_BYTES)),
    ),
  };
}
