import { sql } from 'kysely';
import type { Db } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';

const DAY_MS = 24 * 3600_000;
/** Sessions of the previous day may still begin, from a page that was open over midnight. */
const SALT_DAYS = 2;
/** Time for which evidence is kept after the last delivery, in ms, because browsers play what they cached. */
const EVIDENCE_MS = DAY_MS;
/**
 * Maximum lock wait of a drop, in ms. The drop waits for readers and writers of sessions, and others queue behind it.
 */
const LOCK_MS = 2_000;
const PARTITION = /^view_session_(\d{4})_(\d{2})_(\d{2})$/;

/**
 * Drops the partitions of days that ended `days` or more ago, evidence of deliveries that is older than a day, and the
 * salts that could identify viewers of past days. Returns the names of the partitions.
 */
export async function dropOldSessions(
  db: Db,
  { days, nowMs }: { days: number; nowMs: number },
  signal: AbortSignal,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'view_session'::regclass order by child.relname`.execute(db);
  const old = rows.map(({ name }) => name).filter((name) => endOf(name) <= nowMs - days * DAY_MS);
  for (const name of old) {
    signal.throwIfAborted();
    await inTransaction(db, async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(tx);
      await sql`drop table if exists ${sql.id(name)}`.execute(tx);
    });
  }
  const firstKept = new Date(nowMs - SALT_DAYS * DAY_MS).toISOString().slice(0, 10);
  await db
    .deleteFrom('view_evidence')
    .where('seen_ms', '<', nowMs - EVIDENCE_MS)
    .execute();
  await db.deleteFrom('viewer_salt').where('day', '<', firstKept).execute();
  return old;
}

/** Returns the end of a partition's day; infinity for any other name. */
function endOf(name: string): number {
  const [, year, month, day] = PARTITION.exec(name) ?? [];
  return year === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${year}-${month}-${day}T00:00Z`) + DAY_MS;
}
