import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../catalog/db.ts';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import { findSchemaFault } from '../catalog/migrate-store.ts';
import type { Duty } from '../lib/duty.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';

/** Interval of the check, in ms. Old code may write to a schema that it does not know for this time. */
const CHECK_MS = 2_000;

/**
 * Checks that this version may use the schema of the database, now and every 2 s. Throws `Refused` (`invalid`) if it
 * may not now. Later, it ends the duty of the process. A database that is away changes nothing.
 */
export async function watchCompatibility({ db }: Pick<Database, 'db'>, duty: Duty): Promise<{ close(): void }> {
  const fault = await findSchemaFault(db);
  if (fault !== null) throw new Refused('invalid', fault);
  const stopping = new AbortController();
  void check({ db, duty, signal: stopping.signal });
  return { close: () => stopping.abort() };
}

type Watch = { db: Database['db']; duty: Duty; signal: AbortSignal };

async function check({ db, duty, signal }: Watch): Promise<void> {
  while (!signal.aborted && duty.refusal === null) {
    await sleep(CHECK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const reason = await findSchemaFault(db).catch((error: unknown) => {
      if (!signal.aborted && !isDatabaseAway(error)) logEvent('role.unchecked', { err: error });
      return null;
    });
    if (reason !== null && duty.end({ state: 'incompatible', reason })) logEvent('role.incompatible', { reason });
  }
}
