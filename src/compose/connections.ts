import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openTogether } from '../catalog/connections-store.ts';
import type { Database } from '../catalog/db.ts';
import type { Role } from '../config/roles.ts';
import { hasCode } from '../lib/has-code.ts';
import { metrics } from '../lib/metrics/metrics.ts';

const PAUSE_MS = 2_000;
/** SQLSTATE too_many_connections, and the message that a pooler in front of PostgreSQL may send instead. */
const NO_SLOT = '53300';

/** Connections of a role outside its pool: the listener, the session counter, and the mover's lock. */
const BESIDE: Record<Role, number> = { api: 1, edge: 2, worker: 2, ingest: 1 };

/** Default maximum connections in a role's pool. Connections that are idle for 10 s are closed. */
const POOL_SIZES: Record<Role, number> = { api: 10, edge: 10, worker: 10, ingest: 10 };

/** Pool connections that are in use from the start: with its listener, an idle worker has 4. */
const KEPT: Record<Role, number> = { api: 1, edge: 1, worker: 3, ingest: 1 };

/** Returns the size of a role's pool. `set` is the owner's setting, null for none. Only a worker polls concurrently. */
export function poolSize(role: Role, set: number | null): { max: number; kept: number } {
  const max = set ?? POOL_SIZES[role];
  return { max, kept: Math.min(max, role === 'worker' ? KEPT.worker : max) };
}

/** Returns the maximum connections to PostgreSQL that a role opens at the same time. */
export function mostConnections(role: Role, set: number | null): number {
  return poolSize(role, set).max + BESIDE[role];
}

/**
 * Opens the connections that a role needs from the start. While PostgreSQL has too few free slots, waits and reports
 * the number needed.
 */
export async function whenRoleHasSlots(role: Role, { pool }: Database, log: Logger): Promise<void> {
  const least = { fromPool: Math.min(pool.options.max, KEPT[role]), beside: 1 };
  await whenSlotsAreFree(pool, { ...least, most: pool.options.max + BESIDE[role] }, log);
}

/** Connections that are opened together at a start, from the pool and outside it, and the total maximum. */
type Need = { fromPool: number; beside: number; most: number };

/** Opens connections for a start. While PostgreSQL has too few free slots, waits and reports the number needed. */
export async function whenSlotsAreFree(pool: Database['pool'], need: Need, log: Logger): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await openTogether(pool, need);
      return;
    } catch (error) {
      if (!hasCode(error, NO_SLOT)) throw error;
      if (tries % 15 === 0) {
        log.warn(
          'PostgreSQL has too few free connection slots. This start waits for them. It needs ' +
            `${need.fromPool + need.beside} now and up to ${need.most} later: raise max_connections, or lower ` +
            'MILLRACE_DATABASE_CONNECTIONS of the roles.',
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns whether the database responds to the pool, with the reason if it does not. */
export async function databaseHealth({ pool }: Database): Promise<{ ok: boolean; detail?: string }> {
  try {
    await pool.query('select 1');
    metrics.databaseUp.set(1);
    return { ok: true };
  } catch (error) {
    metrics.databaseUp.set(0);
    return { ok: false, detail: `database: ${error instanceof Error ? error.message : String(error)}` };
  }
}
