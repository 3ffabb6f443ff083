import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { Settings } from '../config/settings.ts';
import { explainStart } from './explain-start.ts';
import { withDatabase } from './supervisor/reach-database.ts';
import { requireUsable } from './supervisor/require-usable.ts';

/** Time for a server that is starting, in ms. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 500;

/**
 * Throws `Refused` if the operator's database does not accept connections, or if this data folder cannot be set up for
 * it. Returns early if `stop` aborts. Must be called before the first start creates anything.
 */
export async function requireDatabase(settings: Settings, stop: AbortSignal): Promise<void> {
  const { databaseUrl: connectionString } = settings;
  if (connectionString === null) return;
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await withDatabase({ connectionString }, (client) => requireUsable(client, settings));
      break;
    } catch (error) {
      if (stop.aborted) return;
      if (!isDatabaseAway(error) || performance.now() > deadlineMs) throw explainStart(error, settings);
    }
    await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
  }
  if (!existsSync(settings.dataDir)) await requireSchema(connectionString);
}

/** Throws `Refused` for the schema of a version that this one cannot use. */
async function requireSchema(connectionString: string): Promise<void> {
  const [{ openDatabase }, { hasKnownSchema }] = await Promise.all([
    import('../catalog/db.ts'),
    import('../catalog/migrate-store.ts'),
  ]);
  const database = openDatabase({ connectionString, max: 1 }, () => undefined);
  try {
    await hasKnownSchema(database.db);
  } finally {
    await database.close();
  }
}
