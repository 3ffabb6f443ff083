import { type ExpressionBuilder, sql } from 'kysely';
import type { Db, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Schema } from '../schema.ts';
import { AUDIT_COLUMNS, type AuditedWrite, type AuditLine, chainHash, isSameDay } from './audit-line.ts';
import { type AuditNames, nameAuditLines } from './name-audit-store.ts';

const CHAIN_LOCK = 7_700_002;
const MAX_QUEUED_LINES = 10_000;
const LINES_AT_ONCE = 500;
const PRUNED_AT_ONCE = 5_000;
const FIRST_ERROR_STATUS = 400;

/** Audit log with an entry for each write request. */
export type AuditStore = {
  /**
   * Adds an entry. Resolves once it is stored, and never rejects: an entry that cannot be stored is reported in full.
   * Entries that arrive during an insert are stored together by the next insert.
   */
  write(line: AuditedWrite): Promise<void>;
  /** Returns a page of a library's entries, newest first, and their total number. The first `page` is 1. */
  list(query: AuditQuery): Promise<{ total: number; lines: NamedAuditLine[] }>;
};

export type NamedAuditLine = AuditLine & AuditNames;

/** Filters that are null are not applied. `keyName` is that of the lines, `isDone` whether the request succeeded. */
export type AuditQuery = {
  libraryId: number;
  page: number;
  perPage: number;
  keyName: string | null;
  operations: readonly string[] | null;
  isDone: boolean | null;
};

type Report = (error: unknown, line: AuditedWrite) => void;
type Waiting = { line: AuditedWrite; done: () => void };

/** Stores the log in PostgreSQL. Buffers at most 10,000 entries, and reports more than that immediately. */
export function createAuditStore(db: Db, report: Report): AuditStore {
  const waiting: Waiting[] = [];
  let isStoring = false;
  const storeAll = async () => {
    isStoring = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, LINES_AT_ONCE);
      await storeLines(
        db,
        batch.map(({ line }) => line),
        report,
      );
      for (const { done } of batch) done();
    }
    isStoring = false;
  };
  return {
    async write(line) {
      if (waiting.length >= MAX_QUEUED_LINES) {
        report(new Error(`Expected at most ${MAX_QUEUED_LINES} queued audit lines, got more.`), line);
        return;
      }
      const stored = new Promise<void>((done) => waiting.push({ line, done }));
      if (!isStoring) void storeAll();
      await stored;
    },
    list: (query) => listLines(db, query),
  };
}

/** Removes entries that are older than 90 whole days, in bounded batches. Returns the number of removed entries. */
export async function pruneAudit(db: Db, signal: AbortSignal): Promise<number> {
  let all = 0;
  while (!signal.aborted) {
    const { rows } = await sql<{ n: number }>`select prune_audit_lines(${PRUNED_AT_ONCE}) as n`.execute(db);
    const pruned = rows[0]?.n ?? 0;
    all += pruned;
    if (pruned < PRUNED_AT_ONCE) break;
  }
  return all;
}

/**
 * Stores entries in one insert. If that fails, stores each entry separately, so that one invalid entry does not lose
 * the others.
 */
async function storeLines(db: Db, lines: readonly AuditedWrite[], report: Report): Promise<void> {
  try {
    await inTransaction(db, (tx) => insertLines(tx, lines));
  } catch (error) {
    const [only, ...more] = lines;
    if (only !== undefined && more.length === 0) report(error, only);
    else for (const line of lines) await storeLines(db, [line], report);
  }
}

// Serialises the inserts of all machines with one lock, because each entry is chained to the previous one.
async function insertLines(tx: Tx, lines: readonly AuditedWrite[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`.execute(tx);
  const last = await tx.selectFrom('audit_line').select(['at', 'hash']).orderBy('id', 'desc').limit(1).execute();
  const clock = await sql<{ at: Date }>`select date_trunc('milliseconds', clock_timestamp()) as at`.execute(tx);
  const at = clock.rows[0]?.at ?? new Date();
  const libraries = await librariesOf(tx, lines);
  const [before] = last;
  let previous = before !== undefined && isSameDay(before.at, at) ? before.hash : null;
  const rows = lines.map((line) => {
    const libraryId = line.libraryId ?? libraries.get(line.pullZoneId ?? -1) ?? null;
    const hash = chainHash(previous, { ...line, libraryId, at });
    previous = hash;
    return toRow({ ...line, libraryId, at, hash });
  });
  await tx.insertInto('audit_line').values(rows).execute();
}

async function librariesOf(tx: Tx, lines: readonly AuditedWrite[]): Promise<ReadonlyMap<number, number>> {
  const zones = lines.flatMap(({ pullZoneId }) => pullZoneId ?? []);
  if (zones.length === 0) return new Map();
  const rows = await tx.selectFrom('pull_zone').select(['id', 'library_id']).where('id', 'in', zones).execute();
  return new Map(rows.map((row) => [row.id, row.library_id]));
}

function toRow(line: Omit<AuditLine, 'id'>) {
  return {
    at: line.at,
    library_id: line.libraryId,
    key_name: line.keyName,
    scope: line.scope,
    operation: line.operation,
    targets: JSON.stringify(line.targets),
    status: line.status,
    request_id: line.requestId,
    ip: line.ip,
    hash: line.hash,
    changes: line.changes === null ? null : JSON.stringify(line.changes),
  };
}

async function listLines(
  db: Db,
  { libraryId, page, perPage, keyName, operations, isDone }: AuditQuery,
): Promise<{ total: number; lines: NamedAuditLine[] }> {
  const matches = (eb: ExpressionBuilder<Schema, 'audit_line'>) =>
    eb.and([
      eb('library_id', '=', libraryId),
      ...(keyName === null ? [] : [eb('key_name', '=', keyName)]),
      ...(operations === null ? [] : [eb('operation', 'in', operations)]),
      ...(isDone === null ? [] : [eb('status', isDone ? '<' : '>=', FIRST_ERROR_STATUS)]),
    ]);
  const lines = await db
    .selectFrom('audit_line')
    .select(AUDIT_COLUMNS)
    .where(matches)
    .orderBy('id', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute();
  const { total } = await db
    .selectFrom('audit_line')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow();
  const names = await nameAuditLines(db, lines);
  // `nameAuditLines` returns one entry for each line.
  return { total, lines: lines.map((line, index) => ({ ...line, ...(names[index] as AuditNames) })) };
}
