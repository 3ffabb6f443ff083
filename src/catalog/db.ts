import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Guid } from '../lib/guid.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { Refused } from '../lib/refused.ts';
import { growForWork } from './connections-store.ts';
import { migrations } from './migrations/all.ts';
import { keepPlans } from './prepared.ts';
import type { Schema } from './schema.ts';
import { endWhenSilent } from './silent-connections-store.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** Work that joins the transaction of the change it follows, such as sending a job. */
export type FollowUp = (tx: Tx) => Promise<void>;

/** Connection pool and typed queries on it. `close` closes both. */
export type Database = { db: Db; pool: pg.Pool; close(): Promise<void> };

/** Identifies a media row. */
export type MediaKey = { libraryId: number; mediaId: Guid };

/** Channel that notifies edges of a change visible to viewers. Payload: `libraryId:mediaId:revision`. */
export const PUBLICATION_CHANNEL = 'millrace_publication';

/** Channel that reports every change of a video's state, progress or publication. Payload as above, or `…:deleted`. */
export const PROGRESS_CHANNEL = 'millrace_progress';

/**
 * The first keepalive probe follows after this time, then one per second, ten in total (libuv). The kernel's default
 * for the first probe is 2 h.
 */
const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };

/** Limits that the server enforces; 0 disables a limit. */
type Limits = {
  /** Longer than any statement of the service takes unless its database hangs; lock waits are shorter. */
  statementMs: number;
  lockMs: number;
  /** A worker that hangs or is disconnected within a transaction locks rows that others need. */
  idleTransactionMs: number;
};
const LIMITS: Limits = { statementMs: 12_000, lockMs: 10_000, idleTransactionMs: 60_000 };
const LIMITS_SET_MS = 5_000;
/** Time that a response may take beyond the server's limit, in ms. */
const ON_ITS_WAY_MS = 3_000;

/** Options of a connection that only listens. It detects a dead peer within half a minute. */
export const LISTENING = { ...ALIVE, connectionTimeoutMillis: 5_000, query_timeout: 60_000 };

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

/** `kept`: connections above this number are opened only for work, not for simultaneous polls. */
export type DatabaseOptions = pg.PoolConfig & { kept?: number; limits?: Partial<Limits> };

/**
 * Opens a pool. int8 is returned as a number, because all our counts stay below 2^53. `onBroken` is called for broken
 * connections, which must not crash the process.
 */
export function openDatabase({ kept, limits, ...config }: DatabaseOptions, onBroken: (error: Error) => void): Database {
  const inForce = { ...LIMITS, ...limits };
  const onConnect = (client: pg.ClientBase) => setLimits(client, inForce);
  const pool = new pg.Pool({
    max: 10,
    connectionTimeoutMillis: 5_000,
    ...ALIVE,
    ...config,
    types: ourTypes,
    onConnect,
  });
  pool.on('error', onBroken);
  // Without a limit on the server, a long query does not prove a broken connection.
  if (inForce.statementMs > 0) endWhenSilent(pool, inForce.statementMs + ON_ITS_WAY_MS, onBroken);
  pool.on('connect', (client) => {
    keepPlans(client);
    // A connection that breaks during use makes its query fail. It must not crash the process either.
    client.on('error', onBroken);
  });
  if (kept !== undefined) growForWork(pool, kept);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

/** Options for work that may run long and wait for locks, such as a migration. */
export const UNHURRIED = { limits: { statementMs: 0, lockMs: 0 } };

/** Set by a statement, because PgBouncer refuses connections with such limits as startup parameters. */
async function setLimits(client: pg.ClientBase, { statementMs, lockMs, idleTransactionMs }: Limits): Promise<void> {
  const text = `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;
  const query = { text, values: [statementMs, lockMs, idleTransactionMs], query_timeout: LIMITS_SET_MS };
  await client.query(query);
}

/**
 * Brings the schema up to date under an advisory lock, so that several machines may start simultaneously. `only`
 * restricts it to the named migrations. Throws `Refused` (`invalid`) for a schema that this version cannot upgrade.
 */
export async function migrate(db: Db, only: readonly string[] | null = null): Promise<void> {
  requireKnown(only ?? []);
  requireKnown(await appliedMigrations(db));
  const chosen = Object.fromEntries(Object.entries(known).filter(([name]) => only?.includes(name) ?? true));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => chosen },
    allowUnorderedMigrations: true,
  });
  const startedMs = performance.now();
  const { error, results = [] } = await migrator.migrateToLatest();
  for (const { status, migrationName: name } of results) {
    if (status === 'Success') logEvent('migration.applied', { name, durationMs: performance.now() - startedMs });
  }
  if (error !== undefined) throw new Error('Could not migrate the database.', { cause: error });
}

/**
 * Returns whether the database has a schema, without changing it. Throws `Refused` (`invalid`) like `migrate` for one
 * that this version cannot use.
 */
export async function hasKnownSchema(db: Db): Promise<boolean> {
  const applied = await appliedMigrations(db);
  requireKnown(applied);
  return applied.length > 0;
}

const known: Readonly<Record<string, Migration>> = migrations;
const BASELINE = Object.keys(migrations)[0] ?? '';

/** Returns the names of the migrations that a database has, in order. */
async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string | null }>`select to_regclass('kysely_migration')::text as name`.execute(db);
  if (rows[0]?.name === null) return [];
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return applied.rows.map(({ name }) => name);
}

/** Throws if migrations belong to an early development version, which had no baseline, or to a newer version. */
function requireKnown(names: readonly string[]): void {
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  if (!names.includes(BASELINE)) {
    throw new Refused(
      'invalid',
      'Expected a database of version 0.1.0 or newer, got one of an earlier development version, which cannot be ' +
        'upgraded. Start with a new data folder (MILLRACE_DATA_DIR) and upload the originals again.',
    );
  }
  throw new Refused(
    'invalid',
    `Expected a database of this version or an older one, got one with ${unknown.join(', ')} of a newer version. ` +
      'Start that version or a newer one.',
  );
}

/** Increments the publication revision of a media item and notifies the edge when the transaction commits. */
export async function bumpPublication(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<number> {
  const { revision } = await tx
    .updateTable('media')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .returning('revision')
    .executeTakeFirstOrThrow();
  await sql`select pg_notify(${PUBLICATION_CHANNEL}, ${`${libraryId}:${mediaId}:${revision}`})`.execute(tx);
  return revision;
}

const ourTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return (text: string) => Number(text);
    if (oid === INT8_ARRAY) return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
    if (oid === TIMESTAMPTZ) return readTime;
    // The format is passed through unchanged; pg's overloads are narrower than its callers.
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** Parses a UTC timestamp such as `2026-11-21 09:30:00.125+00`, without pg's patterns for all other notations. */
function readTime(text: string): unknown {
  if (text[4] === '-' && text.endsWith('+00')) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return pg.types.getTypeParser(TIMESTAMPTZ)(text);
}
