import { type Selectable, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import type { LibraryExportTable } from './export-schema.ts';
import type { ExportDestination, ExportKey, ExportReport, ExportTick } from './library-export.ts';

/** Days for which ended exports are kept. */
const EXPORT_KEPT_DAYS = 365;

export type NewExport = {
  libraryId: number;
  /** URL of the destination without secrets, or the name of the folder. */
  address: string;
  /** Stored sealed. */
  destination: ExportDestination;
  concurrency: number;
  maxBytesPerSec: number | null;
};

type Send = (tick: ExportTick) => FollowUp;

/** Exports of libraries. */
export type ExportStore = {
  /**
   * Creates an export and sends its first job. Throws `Refused` (`not-found`) for an unknown library, and (`conflict`)
   * if another export of the library is running.
   */
  create(wanted: NewExport, send: Send): Promise<ExportKey>;
  /** Throws `Refused` (`not-found`) for an unknown export. */
  load(key: ExportKey): Promise<ExportReport>;
  /** Returns a page of exports, newest first, and their total number. */
  list(query: { libraryId: number; page: number; itemsPerPage: number }): Promise<{
    total: number;
    items: ExportReport[];
  }>;
  /** Stops an export and its transfers. One that has ended is left unchanged. */
  cancel(key: ExportKey): Promise<void>;
  /**
   * Continues a cancelled or failed export. One that finished, or in which videos failed, begins again and transfers
   * what is missing or was changed. Throws `Refused` (`conflict`) if an export of the library is running.
   */
  resume(key: ExportKey, send: Send): Promise<void>;
};

type Row = Selectable<LibraryExportTable>;

export function createExportStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): ExportStore {
  return {
    create: (wanted, send) => inTransaction(db, (tx) => insertExport(tx, { wanted, secretBox }, send)),
    load: async (key) => toReport(await loadRow(db, key)),
    async list({ libraryId, page, itemsPerPage }) {
      const rows = await db
        .selectFrom('library_export')
        .selectAll()
        .where('library_id', '=', libraryId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(itemsPerPage)
        .offset((page - 1) * itemsPerPage)
        .execute();
      const { total } = await db
        .selectFrom('library_export')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('library_id', '=', libraryId)
        .executeTakeFirstOrThrow();
      return { total, items: rows.map(toReport) };
    },
    async cancel(key) {
      const { numAffectedRows } = await sql`
        update library_export set state = 'cancelled', tick = tick + 1, reason = null, current = null, ended_at = now()
        where id = ${key.exportId} and library_id = ${key.libraryId} and state = 'running'`.execute(db);
      if (numAffectedRows === 0n) await loadRow(db, key);
    },
    resume: (key, send) => inTransaction(db, (tx) => resumeExport(tx, key, send)),
  };
}

async function insertExport(
  tx: Tx,
  { wanted, secretBox }: { wanted: NewExport; secretBox: SecretBox },
  send: Send,
): Promise<ExportKey> {
  const { libraryId, address, destination, concurrency, maxBytesPerSec } = wanted;
  await lockLibrary(tx, libraryId);
  await requireNoOther(tx, libraryId, null);
  await sql`delete from library_export where id in (select id from library_export
    where ended_at < now() - make_interval(days => ${EXPORT_KEPT_DAYS}) limit 10)`.execute(tx);
  const id = newGuid();
  const sealed = secretBox.seal(JSON.stringify(destination));
  const row = { id, library_id: libraryId, target: destination.kind, address, destination: sealed, concurrency };
  await tx
    .insertInto('library_export')
    .values({ ...row, max_bytes_per_sec: maxBytesPerSec, state: 'running' })
    .execute();
  await sql`update library_export set total = count_videos(library_id) where id = ${id}`.execute(tx);
  await send({ libraryId, exportId: id, tick: 0 })(tx);
  return { libraryId, exportId: id };
}

/** Serializes changes of a library's exports, so that two requests cannot start two at once. */
async function lockLibrary(tx: Tx, libraryId: number): Promise<void> {
  const { rows } = await sql`select from library where id = ${libraryId} and deleted_at is null for no key update
  `.execute(tx);
  if (rows.length === 0) throw new Refused('not-found', `Library ${libraryId} not found. Check the id.`);
}

async function requireNoOther(tx: Tx, libraryId: number, except: Guid | null): Promise<void> {
  const { rows } = await sql<{ id: Guid }>`select id from library_export where library_id = ${libraryId}
    and state = 'running' and id is distinct from ${except}::uuid limit 1`.execute(tx);
  const [other] = rows;
  if (other === undefined) return;
  const message = `Expected at most one running export per library, but export ${other.id} runs. Wait or cancel it.`;
  throw new Refused('conflict', message);
}

async function resumeExport(tx: Tx, key: ExportKey, send: Send): Promise<void> {
  await lockLibrary(tx, key.libraryId);
  const { state, failed } = await loadRow(tx, key);
  if (state === 'running') return;
  await requireNoOther(tx, key.libraryId, key.exportId);
  const continued = { state: 'running', reason: null, ended_at: null, failures: 0 } as const;
  const fromStart = { cursor: null, exported: 0, unchanged: 0, empty: 0, failed: 0, bytes: 0, problems: '[]' } as const;
  const row = await tx
    .updateTable('library_export')
    .set({ ...continued, ...((state === 'finished' || failed > 0) && fromStart) })
    .set({ tick: sql`tick + 1`, total: sql`count_videos(library_id)` })
    .where('id', '=', key.exportId)
    .returning('tick')
    .executeTakeFirstOrThrow();
  await send({ ...key, tick: row.tick })(tx);
}

async function loadRow(db: Db | Tx, key: ExportKey): Promise<Row> {
  const row = await db
    .selectFrom('library_export')
    .selectAll()
    .where('id', '=', key.exportId)
    .where('library_id', '=', key.libraryId)
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new Refused('not-found', `Export ${key.exportId} in library ${key.libraryId} not found. Check the id.`);
}

function toReport(row: Row): ExportReport {
  const { id, library_id: libraryId, target, address, state, concurrency, current, reason, problems } = row;
  const { total, bytes, exported, unchanged, empty, failed } = row;
  const times = { createdAt: row.created_at, endedAt: row.ended_at };
  const counts = { total, bytes, exported, unchanged, empty, failed };
  const maxBytesPerSec = row.max_bytes_per_sec;
  return {
    id,
    libraryId,
    target,
    address,
    state,
    concurrency,
    maxBytesPerSec,
    current,
    reason,
    ...times,
    counts,
    problems,
  };
}
