import { type Selectable, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { retryItems } from './import-item-store.ts';
import { countItems, type ItemQuery, listItems, readItems } from './import-report-store.ts';
import type { LibraryImportTable } from './import-schema.ts';
import type {
  ImportCounts,
  ImportKey,
  ImportReport,
  ImportSourceName,
  ImportTick,
  ItemReport,
} from './library-import.ts';

/** Days for which ended imports are kept. Until then, a second import recognizes the videos of the first. */
const IMPORT_KEPT_DAYS = 365;

export type NewImport = {
  libraryId: number;
  source: ImportSourceName;
  /** URL of the source without secrets, for display. */
  address: string;
  /** Everything that the source needs, as JSON. Stored sealed. */
  request: object;
  isDryRun: boolean;
  concurrency: number;
  maxBytesPerSec: number | null;
  skipsDuplicates: boolean;
  /** Whether videos and collections get other GUIDs than at the source. */
  makesNewGuids: boolean;
  /** Whether the settings of the source are restored. Null: only into a library without videos and collections. */
  restoresSettings: boolean | null;
};

type Send = (tick: ImportTick) => FollowUp;

/** Imports of libraries. Their items are in `import-item-store.ts`. */
export type ImportStore = {
  /**
   * Creates an import and sends its first job. Throws `Refused` (`not-found`) for an unknown library, and (`conflict`)
   * if another import of the library is running.
   */
  create(wanted: NewImport, send: Send): Promise<ImportKey>;
  /** Throws `Refused` (`not-found`) for an unknown import. */
  load(key: ImportKey): Promise<ImportReport>;
  /** Returns a page of imports, newest first, and their total number. */
  list(query: { libraryId: number; page: number; itemsPerPage: number }): Promise<{
    total: number;
    items: ImportReport[];
  }>;
  /** Returns a page of items in the order of the source, and the total number of matches. */
  items(key: ImportKey, query: ItemQuery): Promise<{ total: number; items: ItemReport[] }>;
  /** Reads all items in the order of the source. Does not hold them in memory. */
  allItems(key: ImportKey): AsyncIterable<ItemReport>;
  /** Stops an import after the files in transfer. One that has ended is left unchanged. */
  cancel(key: ImportKey, send: Send): Promise<void>;
  /**
   * Continues a cancelled, failed or planned import, and tries retryable failures again. Throws `Refused` (`conflict`)
   * if another import of the library is running, and for a plan of uploads, which has no uploader.
   */
  resume(key: ImportKey, send: Send): Promise<void>;
};

type Row = Selectable<LibraryImportTable>;

export function createImportStore({ db, secretBox }: { db: Db; secretBox: SecretBox }): ImportStore {
  return {
    create: (wanted, send) => inTransaction(db, (tx) => insertImport(tx, { wanted, secretBox }, send)),
    load: async (key) => toReport(db, await loadRow(db, key)),
    async list({ libraryId, page, itemsPerPage }) {
      const rows = await db
        .selectFrom('library_import')
        .selectAll()
        .where('library_id', '=', libraryId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(itemsPerPage)
        .offset((page - 1) * itemsPerPage)
        .execute();
      const { total } = await db
        .selectFrom('library_import')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('library_id', '=', libraryId)
        .executeTakeFirstOrThrow();
      return { total, items: await Promise.all(rows.map((row) => toReport(db, row))) };
    },
    async items(key, query) {
      await loadRow(db, key);
      return listItems(db, key.importId, query);
    },
    allItems: (key) => readItems(db, key.importId),
    cancel: (key, send) => inTransaction(db, (tx) => cancelImport(tx, key, send)),
    resume: (key, send) => inTransaction(db, (tx) => resumeImport(tx, key, send)),
  };
}

async function insertImport(
  tx: Tx,
  { wanted, secretBox }: { wanted: NewImport; secretBox: SecretBox },
  send: Send,
): Promise<ImportKey> {
  const { libraryId, source, address, isDryRun, concurrency } = wanted;
  const limits = {
    max_bytes_per_sec: wanted.maxBytesPerSec,
    skips_duplicates: wanted.skipsDuplicates,
    makes_new_guids: wanted.makesNewGuids,
    restores_settings: wanted.restoresSettings,
  };
  await lockLibrary(tx, libraryId);
  await requireNoOther(tx, libraryId, null);
  await sql`delete from library_import where id in (select id from library_import
    where ended_at < now() - make_interval(days => ${IMPORT_KEPT_DAYS}) limit 10)`.execute(tx);
  const importId = newGuid();
  const request = secretBox.seal(JSON.stringify(wanted.request));
  const row = { id: importId, library_id: libraryId, source, address, request, concurrency };
  await tx
    .insertInto('library_import')
    .values({ ...row, ...limits, state: 'listing', is_dry_run: isDryRun })
    .execute();
  await send({ libraryId, importId, tick: 0 })(tx);
  return { libraryId, importId };
}

/** Serializes changes of a library's imports, so that two requests cannot start two at once. */
async function lockLibrary(tx: Tx, libraryId: number): Promise<void> {
  const { rows } = await sql`select from library where id = ${libraryId} and deleted_at is null for no key update
  `.execute(tx);
  if (rows.length === 0) throw new Refused('not-found', `Library ${libraryId} not found. Check the id.`);
}

async function requireNoOther(tx: Tx, libraryId: number, except: Guid | null): Promise<void> {
  const { rows } = await sql<{ id: Guid }>`select id from library_import where library_id = ${libraryId}
    and state in ('listing', 'running', 'cancelling') and id is distinct from ${except}::uuid limit 1`.execute(tx);
  const [other] = rows;
  if (other === undefined) return;
  const message = `Expected at most one running import per library, but import ${other.id} runs. Wait or cancel it.`;
  throw new Refused('conflict', message);
}

async function cancelImport(tx: Tx, key: ImportKey, send: Send): Promise<void> {
  const { rows } = await sql<{ tick: number }>`
    update library_import set state = 'cancelling', reason = null, tick = tick + 1
    where id = ${key.importId} and library_id = ${key.libraryId} and state in ('listing', 'running') returning tick
  `.execute(tx);
  const [row] = rows;
  if (row !== undefined) return send({ ...key, tick: row.tick })(tx);
  await loadRow(tx, key);
}

/** The time between end and resume does not count as time of transfers. */
async function resumeImport(tx: Tx, key: ImportKey, send: Send): Promise<void> {
  await lockLibrary(tx, key.libraryId);
  const { source, is_dry_run: isDryRun } = await loadRow(tx, key);
  if (source === 'upload' && isDryRun) {
    const message = 'Expected an import that was started, got a plan of uploads, whose files nobody would send. ';
    throw new Refused('conflict', `${message}Run the command again without dryRun=true.`);
  }
  await requireNoOther(tx, key.libraryId, key.importId);
  await retryItems(tx, key.importId);
  const { rows } = await sql<{ tick: number }>`
    update library_import set state = case when is_listed then 'running' else 'listing' end, is_dry_run = false,
      reason = null, ended_at = null, tick = tick + 1,
      running_at = case when is_listed then coalesce(running_at + (now() - coalesce(ended_at, now())), now()) end
    where id = ${key.importId} returning tick`.execute(tx);
  for (const { tick } of rows) await send({ ...key, tick })(tx);
}

async function loadRow(db: Db | Tx, key: ImportKey): Promise<Row> {
  const row = await db
    .selectFrom('library_import')
    .selectAll()
    .where('id', '=', key.importId)
    .where('library_id', '=', key.libraryId)
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new Refused('not-found', `Import ${key.importId} in library ${key.libraryId} not found. Check the id.`);
}

async function toReport(db: Db, row: Row): Promise<ImportReport> {
  const { id, library_id: libraryId, source, address, state, is_dry_run: isDryRun, concurrency, reason } = row;
  const times = { createdAt: row.created_at, endedAt: row.ended_at };
  const counts = await countItems(db, id);
  const { max_bytes_per_sec: maxBytesPerSec, skips_duplicates: skipsDuplicates } = row;
  const makesNewGuids = row.makes_new_guids;
  const limits = { concurrency, maxBytesPerSec, skipsDuplicates, makesNewGuids, remainingSec: estimate(row, counts) };
  const settings = row.settings_report;
  return { id, libraryId, source, address, state, isDryRun, ...limits, settings, reason, ...times, counts };
}

/**
 * Estimates the time of the remaining transfers: from the speed so far, else from the sample of the plan. Null for an
 * import without known sizes or speed.
 */
function estimate(row: Row, { openBytes, importedBytes }: ImportCounts): number | null {
  if (openBytes === 0 || (row.ended_at !== null && row.state !== 'planned')) return null;
  const runningSec = row.running_at === null ? 0 : (Date.now() - row.running_at.getTime()) / 1000;
  const measured = importedBytes > 0 && runningSec > 0 ? importedBytes / runningSec : row.source_bytes_per_sec;
  const limit = row.max_bytes_per_sec ?? Number.POSITIVE_INFINITY;
  const bytesPerSec = Math.min(measured ?? Number.POSITIVE_INFINITY, limit);
  return Number.isFinite(bytesPerSec) ? Math.ceil(openBytes / bytesPerSec) : null;
}
