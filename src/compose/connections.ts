import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTogether } from '../catalog/connections-store.ts';
import type { Database } from '../catalog/db.ts';
import type { Role } from '../config/roles.ts';
import { hasCode } from '../lib/has-code.ts';
import { logEvent } from '../lib/log/log-event.ts';
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

/**
 * Returns the size of a role's connection pool. `set` is the owner's setting, or null if there is none. Only a worker
 * keeps several connections busy while it is idle.
 */
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
export async function whenRoleHasSlots(role: Role, { pool }: Database): Promise<void> {
  const least = { fromPool: Math.min(pool.options.max, KEPT[role]), outsidePool: 1 };
  await whenSlotsAreFree(pool, { ...least, most: pool.options.max + BESIDE[role] });
}

/** Connections that are opened together at a start, from the pool and outside it, and the total maximum. */
type Need = { fromPool: number; outsidePool: number; most: number };

/** Opens connections for a start. While PostgreSQL has too few free slots, waits and reports the number needed. */
export async function whenSlotsAreFree(pool: Database['pool'], need: Need): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await openTogether(pool, need);
      return;
    } catch (error) {
      if (!hasCode(error, NO_SLOT)) throw error;
      if (tries % 15 === 0) {
        const reason =
          `This process needs ${need.fromPool + need.outsidePool} now and up to ${need.most} later: ` +
          'raise max_connections,' +
          ' or lower MILLRACE_DATABASE_CONNECTIONS of the roles.';
        logEvent('database.no-slots', { reason });
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** Maximum bytes of `application_name` (NAMEDATALEN - 1 of PostgreSQL). */
const MAX_NAME_BYTES = 63;

/** Returns the name of a role's connections in `pg_stat_activity`. */
export function connectionName(role: string): string {
  return Buffer.from(`millrace-${role}@${hostname()}`).subarray(0, MAX_NAME_BYTES).toString();
}

export type DatabaseHealth = { ok: boolean; detail?: string };

/**
 * Time after which a database without a response is reported as silent, in ms. It is shorter than the time limits of
 * the role's own connections and queries.
 */
const SILENT_MS = 2_500;

const SILENT: DatabaseHealth = { ok: false, detail: `database: no response within ${SILENT_MS} ms` };
/** Errors of a connection or a query without a response. The check reports them like its own limit. */
const NO_RESPONSE = /^(timeout exceeded when trying to connect|Query read timeout|The database has not responded)/;

/**
 * Returns a check of whether the database responds and accepts writes. A database that is silent or read-only is
 * unhealthy, with that reason. At most one query runs at a time, so that checks of a silent database use one
 * connection.
 */
export function openDatabaseCheck({ pool }: Pick<Database, 'pool'>): () => Promise<DatabaseHealth> {
  let asking: Promise<DatabaseHealth> | null = null;
  return async () => {
    asking ??= askDatabase(pool).finally(() => {
      asking = null;
    });
    const late = new AbortController();
    const health = await Promise.race([asking, sleep(SILENT_MS, SILENT, { signal: late.signal })]);
    late.abort();
    metrics.databaseUp.set(health.ok ? 1 : 0);
    return health;
  };
}

/** Wraps a check of the database so that an outage and its end are logged once each. */
export function notedHealth(check: () => Promise<DatabaseHealth>): () => Promise<DatabaseHealth> {
  let awaySinceMs: number | null = null;
  return async () => {
    const health = await check();
    if (!health.ok && awaySinceMs === null) {
      awaySinceMs = performance.now();
      logEvent('database.unreachable', { reason: health.detail ?? 'no reason' });
    } else if (health.ok && awaySinceMs !== null) {
      logEvent('database.reachable', { durationSec: (performance.now() - awaySinceMs) / 1000 });
      awaySinceMs = null;
    }
    return health;
  };
}

async function askDatabase(pool: Database['pool']): Promise<DatabaseHealth> {
  try {
    const { rows } = await pool.query<{ isReadOnly: boolean; isStandby: boolean }>(
      `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_is_in_recovery() as "isStandby"`,
    );
    if (rows[0]?.isStandby === true) return { ok: false, detail: 'database: read-only, because it is a standby' };
    if (rows[0]?.isReadOnly === true)
      return { ok: false, detail: 'database: read-only, because default_transaction_read_only is on' };
    return { ok: true };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return NO_RESPONSE.test(reason) ? SILENT : { ok: false, detail: `database: ${reason}` };
  }
}
