import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Guid } from '../lib/guid.ts';
import { growForWork } from './connections-store.ts';
import { keepPlans } from './prepared.ts';
import type { Schema } from './schema.ts';
import { endWhenSilent } from './silent-connections-store.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** Work that runs in the transaction of the change that causes it, such as sending a job. */
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
 * Keepalive settings. The first probe is sent after this time, then one per second, ten in total (libuv). By default,
 * the kernel sends the first probe after 2 h.
 */
const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };

/** Limits that the server enforces; 0 disables a limit. */
type Limits = {
  /** Longer than any statement takes unless the database hangs. Waits for locks are shorter. */
  statementMs: number;
  lockMs: number;
  /** Needed because a worker that hangs or disconnects during a transaction holds locks on rows that others need. */
  idleTransactionMs: number;
};
const LIMITS: Limits = { statementMs: 12_000, lockMs: 10_000, idleTransactionMs: 60_000 };
const LIMITS_SET_MS = 5_000;
/** Additional time for the response to arrive after the server's own limit, in ms. */
const ON_ITS_WAY_MS = 3_000;

/** Options of a connection that only listens. It detects an unreachable server within 30 s. */
export const LISTENING = { ...ALIVE, connectionTimeoutMillis: 5_000, query_timeout: 60_000 };

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

/** `kept`: more connections than this are opened only for work, not for simultaneous polls. */
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
  // Without a limit on the server, a long query does not prove that the connection is broken.
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

/** Options for work that may run and wait for locks for a long time, such as a migration. */
export const UNHURRIED = { limits: { statementMs: 0, lockMs: 0 } };

/** Sets the limits with a statement, because PgBouncer rejects connections with such limits as startup parameters. */
async function setLimits(client: pg.ClientBase, { statementMs, lockMs, idleTransactionMs }: Limits): Promise<void> {
  const text = `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
    set_config('idle_in_transaction_session_timeout', $3, false)`;
  const query = { text, values: [statementMs, lockMs, idleTransactionMs], query_timeout: LIMITS_SET_MS };
  await client.query(query);
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
    // The format is passed through unchanged. The overloads of pg accept less than its callers send.
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

/** Parses a UTC timestamp such as `2026-11-21 09:30:00.125+00`, without pg's patterns for all other notations. */
function readTime(text: string): unknown {
  if (text[4] === '-' && text.endsWith('+00')) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return pg.types.getTypeParser(TIMESTAMPTZ)(text);
}
