import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../catalog/db.ts';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import { findSchemaFault } from '../catalog/migrate-store.ts';
import type { Role } from '../config/roles.ts';
import type { Duty } from '../lib/duty.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';
import type { RunningRole } from '../service/health.ts';

/** Interval of the check, in ms. Old code may write to a schema that it does not know for this time. */
const CHECK_MS = 2_000;
/** Time for which a draining process serves clients, in ms. Balancers see `/readyz` and choose other processes. */
const DRAIN_NOTICE_MS = 20_000;

/**
 * Checks that this version may use the schema of the database, now and every 2 s. Throws `Refused` (`invalid`) if it
 * may not now. Later, it ends the duty of the process. An unreachable database changes nothing.
 */
export async function watchCompatibility({ db }: Pick<Database, 'db'>, duty: Duty): Promise<{ close(): void }> {
  const fault = await findSchemaFault(db);
  if (fault !== null) throw new Refused('invalid', fault);
  const stopping = new AbortController();
  void check({ db, duty, signal: stopping.signal });
  return { close: () => stopping.abort() };
}

/** Returns the health of a process, with the reason why it takes no new work. */
export function healthOnDuty(duty: Duty, health: RunningRole['health']): RunningRole['health'] {
  return async () => {
    const found = await health();
    const { off } = duty;
    return off === null ? found : { ok: false, detail: `${off.state}: ${off.reason}` };
  };
}

type Draining = { role: Role; duty: Duty; leave(): void };

/** Returns a function that ends the duty of a process, and lets it exit once load balancers have had time to notice. */
export function openDrain({ role, duty, leave }: Draining): () => void {
  return () => {
    const reason = 'This process is draining and exits soon. Use another process.';
    if (duty.end({ state: 'draining', reason })) logEvent('role.drain-requested', {});
    setTimeout(leave, role === 'worker' ? 0 : DRAIN_NOTICE_MS);
  };
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
