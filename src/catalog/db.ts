import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Guid } from '../lib/guid.ts';
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

/** The pool and the typed queries over it. `close` ends both. */
export type Database = { db: Db; pool: pg.Pool; close(): Promise<void> };

/** Names one media row. */
export type MediaKey = { libraryId: number; mediaId: Guid };

/** Notifies the edge that viewers may see something new: payload `libraryId:mediaId:revision`. */
export const PUBLICATION_CHANNEL = 'millrace_publication';

/** Reports every change of a video's state, progress or publication; payload as above, or `…:deleted`. */
export const PROGRESS_CHANNEL = 'millrace_progress';

/** Probed this soon, then every second, ten times (libuv): the kernel's own first probe is after 2 h. */
const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };

/** What the server ends by itself; 0: never. */
type Limits = {
  /** No statement of the service takes this long, unless its database stands still; locks are waited for shorter. */
  statementMs: number;
  lockMs: number;
  /** A worker that stands still, or is cut off, in the midst of a transaction holds rows that others need. */
  idleTransactionMs: number;
};
const LIMITS: Limits = { statementMs: 12_000, lockMs: 10_000, idleTransactionMs: 60_000 };
const LIMITS_SET_MS = 5_000;
/** How much longer than the server's limit an answer may be on its way. */
const ON_ITS_WAY_MS = 3_000;

/** How a connection that only listens is made: it notices within half a minute that its peer is gone. */
export const LISTENING = { ...ALIVE, connectionTimeoutMillis: 5_000, query_timeout: 60_000 };

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

/** `kept`: connections above this number are opened for work only, not for polls that fall together. */
export type DatabaseOptions = pg.PoolConfig & { kept?: number; limits?: Partial<Limits> };

/**
 * Opens a pool. int8 comes back as a number: all our counts stay below 2^53. `onBroken` is notified of connections that
 * break, which must not end the process.
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
  // Without a limit on the server's side nothing can be said of a query that takes long.
  if (inForce.statementMs > 0) endWhenSilent(pool, inForce.statementMs + ON_ITS_WAY_MS, onBroken);
  pool.on('connect', (client) => {
    keepPlans(client);
    // A connection that breaks while it is used reports its query, and must not end the process either.
    client.on('error', onBroken);
  });
  if (kept !== undefined) growForWork(pool, kept);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

/** For work that may take long and waits for others: a migration. */
export const UNHURRIED = { limits: { statementMs: 0, lockMs: 0 } };

/** By a statement: a PgBouncer refuses connections that bring such limits as parameters of their start. */
async function setLimits(client: pg.ClientBase, { statementMs, lockMs, idleTransactionMs }: Limits): Promise<void> {
  const text = `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;
  const query = { text, values: [statementMs, lockMs, idleTransactionMs], query_timeout: LIMITS_SET_MS };
  await client.query(query);
}

/**
 * Brings the schema up to date under an advisory lock, so that several machines may start at once; with `only`, to
 * these migrations and no further. Refuses names that this version does not know: they are of a newer one.
 */
export async function migrate(db: Db, only: readonly string[] | null = null): Promise<void> {
  const known: Readonly<Record<string, Migration>> = migrations;
  const unknown = (only ?? []).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    throw new Refused('invalid', `expected a schema of this version, ${unknown} is of a newer one.`);
  const chosen = Object.fromEntries(Object.entries(known).filter(([name]) => only?.includes(name) ?? true));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => chosen },
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('The database could not be brought up to date.', { cause: error });
}

/** Counts one more visible change of a media and notifies the edge when the transaction commits. */
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
    // The format is passed through as it came; pg's overloads are narrower than its callers.
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/**
 * A point in time of a connection whose zone is UTC, `2026-11-21 09:30:00.125+00`, without the patterns that find all
 * other spellings.
 */
function readTime(text: string): unknown {
  if (text[4] === '-' && text.endsWith('+00')) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return pg.types.getTypeParser(TIMESTAMPTZ)(text);
}
