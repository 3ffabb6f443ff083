import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { Settings } from '../config/settings.ts';
import { explainStart } from './explain-start.ts';
import { withDatabase } from './supervisor/reach-database.ts';

/** Time for a server that is starting, in ms. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 500;

/**
 * Throws `Refused` if the operator's database does not accept connections. Returns early if `stop` aborts. Must be
 * called before the first start creates anything.
 */
export async function requireDatabase(settings: Settings, stop: AbortSignal): Promise<void> {
  const { databaseUrl: connectionString } = settings;
  if (connectionString === null) return;
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await withDatabase({ connectionString }, (client) => client.query('select 1'));
      return;
    } catch (error) {
      if (stop.aborted) return;
      if (!isDatabaseAway(error) || performance.now() > deadlineMs) throw explainStart(error, settings);
    }
    await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
  }
}
