import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openTogether } from '../catalog/connections-store.ts';
import type { Database } from '../catalog/db.ts';
import type { Role } from '../config/roles.ts';
import { hasCode } from '../lib/has-code.ts';

const PAUSE_MS = 2_000;
/** SQLSTATE too_many_connections; and what a pooler in front of PostgreSQL may say instead of it. */
const NO_SLOT = '53300';

/** Connections that a role holds beside its pool: what listens, what counts visits, and the mover's lock. */
const BESIDE: Record<Role, number> = { api: 1, edge: 2, worker: 2, ingest: 1 };

/**
 * Connections of the pool of a role, at most, where no setting says otherwise; those that are idle for 10 s are
 * closed.
 */
const POOL_SIZES: Record<Role, number> = { api: 10, edge: 10, worker: 10, ingest: 10 };

/** Of a pool so many are in use from the start on: with its listener an idle worker holds 4. */
const KEPT: Record<Role, number> = { api: 1, edge: 1, worker: 3, ingest: 1 };

/** The size of a role's pool; `set` is the owner's, null for none. Only a worker polls with several hands. */
export function poolSize(role: Role, set: number | null): { max: number; kept: number } {
  const max = set ?? POOL_SIZES[role];
  return { max, kept: Math.min(max, role === 'worker' ? KEPT.worker : max) };
}

/** The most connections to PostgreSQL that a role opens at once. */
export function mostConnections(role: Role, set: number | null): number {
  return poolSize(role, set).max + BESIDE[role];
}

/** Opens what a role holds from its start on; while PostgreSQL has too few slots left, waits and reports how many. */
export async function whenRoleHasSlots(role: Role, { pool }: Database, log: Logger): Promise<void> {
  const least = { fromPool: Math.min(pool.options.max, KEPT[role]), beside: 1 };
  await whenSlotsAreFree(pool, { ...least, most: pool.options.max + BESIDE[role] }, log);
}

/** Connections that are opened together at a start, from the pool and beside it, and the most that it may come to. */
type Need = { fromPool: number; beside: number; most: number };

/** Opens connections for a start; while PostgreSQL has too few slots left, waits and reports how many are needed. */
export async function whenSlotsAreFree(pool: Database['pool'], need: Need, log: Logger): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await openTogether(pool, need);
      return;
    } catch (error) {
      if (!hasCode(error, NO_SLOT)) throw error;
      if (tries % 15 === 0) {
        log.warn(
          'PostgreSQL has too few connection slots left; this start waits for them. It needs ' +
            `${need.fromPool + need.beside} now and up to ${need.most} later: raise max_connections, or lower ` +
            'MILLRACE_DATABASE_CONNECTIONS of the roles.',
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Whether the database answers the pool, and if not, why. */
export async function databaseHealth({ pool }: Database): Promise<{ ok: boolean; detail?: string }> {
  try {
    await pool.query('select 1');
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: `database: ${error instanceof Error ? error.message : String(error)}` };
  }
}
