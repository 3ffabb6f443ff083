import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../catalog/db.ts';
import type { Role } from '../config/roles.ts';
import { hasCode } from '../lib/has-code.ts';

const PAUSE_MS = 2_000;
/** SQLSTATE too_many_connections; and what a pooler in front of PostgreSQL may say instead of it. */
const NO_SLOT = '53300';

/** Connections that a role holds beside its pool: what listens, and the mover's lock. */
const BESIDE: Record<Role, number> = { api: 1, edge: 2, worker: 4, ingest: 2 };

/** Connections of the pool of a role, at most, where no setting says otherwise; those that are idle for 10 s are closed. */
const POOL_SIZES: Record<Role, number> = { api: 10, edge: 10, worker: 10, ingest: 10 };

/** The size of a role's pool; `set` is the owner's, null for none. */
export function poolSize(role: Role, set: number | null): number {
  return set ?? POOL_SIZES[role];
}

/** The most connections to PostgreSQL that a role opens at once. */
export function mostConnections(role: Role, set: number | null): number {
  return poolSize(role, set) + BESIDE[role];
}

/** Does a first query; while PostgreSQL has no connection slot left, waits and reports how many are needed. */
export async function whenSlotsAreFree(need: number, log: Logger, query: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await query();
      return;
    } catch (error) {
      if (!hasCode(error, NO_SLOT)) throw error;
      if (tries % 15 === 0) {
        log.warn(
          `PostgreSQL has no connection slot left; this start waits for one. It needs up to ${need}: raise max_connections, or lower MILLRACE_DATABASE_CONNECTIONS of the roles.`,
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
