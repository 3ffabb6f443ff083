import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { Db, FollowUp } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { insertItems, isListFull, NO_SPACE } from './import-item-store.ts';
import type { LibraryImportTable } from './import-schema.ts';
import { type ImportTick, LIST_FULL } from './library-import.ts';
import type { ListedItem } from './listed-item.ts';
import type { SettingsReport } from './settings-report.ts';

/** Beginning of the reason of a video whose transfer lacks a resource. */
const SHORTAGE = 'waiting for ';

/** An import as its job sees it. `request` is the opened request of its creator. */
export type OpenImport = ImportTick & {
  source: LibraryImportTable['source'];
  state: 'listing' | 'running' | 'cancelling';
  isDryRun: boolean;
  concurrency: number;
  maxBytesPerSec: number | null;
  skipsDuplicates: boolean;
  makesNewGuids: boolean;
  cursor: string | null;
  createdAt: Date;
  /** Reason for a pause or a stop, or null. */
  reason: string | null;
  restoresSettings: boolean | null;
  /** Null before the settings were read, and if the source has none. */
  settingsReport: SettingsReport | null;
  request: unknown;
};

/** Opens an import for the job of a tick. Null if it has ended, or if a later job works on it. */
export async function openImport(db: Db, key: ImportTick, secretBox: SecretBox): Promise<OpenImport | null> {
  const row = await db
    .selectFrom('library_import')
    .selectAll()
    .where('id', '=', key.importId)
    .where('tick', '=', key.tick)
    .executeTakeFirst();
  if (row === undefined || !isActive(row)) return null;
  const { source, state, is_dry_run: isDryRun, concurrency, cursor } = row;
  const { max_bytes_per_sec: maxBytesPerSec, skips_duplicates: skipsDuplicates } = row;
  const limits = { concurrency, maxBytesPerSec, skipsDuplicates, makesNewGuids: row.makes_new_guids };
  const request: unknown = JSON.parse(secretBox.open(row.request));
  const settings = { restoresSettings: row.restores_settings, settingsReport: row.settings_report };
  return {
    ...key,
    source,
    state,
    isDryRun,
    ...limits,
    ...settings,
    cursor,
    reason: row.reason,
    createdAt: row.created_at,
    request,
  };
}

/** Finds active imports with their current ticks. */
export async function findActive(db: Db): Promise<ImportTick[]> {
  const { rows } = await sql<ImportTick>`
    select library_id as "libraryId", id as "importId", tick from library_import
    where state in ('listing', 'running', 'cancelling') order by created_at limit 1000`.execute(db);
  return rows;
}

function isActive(
  row: Selectable<LibraryImportTable>,
): row is Selectable<LibraryImportTable> & { state: OpenImport['state'] } {
  return ['listing', 'running', 'cancelling'].includes(row.state);
}

/** Adds a page of listed items and notes the next page. Returns false, and adds nothing, if the tick has passed. */
export async function savePage(
  db: Db,
  key: ImportTick,
  { items, next }: { items: readonly ListedItem[]; next: string | null },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { numAffectedRows } = await sql`
      update library_import set cursor = ${next}, is_listed = ${next === null}, reason = null,
        state = case when ${next}::text is not null then state when is_dry_run then 'planned' else 'running' end,
        running_at = case when ${next}::text is null and not is_dry_run then now() end,
        ended_at = case when ${next}::text is null and is_dry_run then now() end
      where id = ${key.importId} and tick = ${key.tick} and state = 'listing'`.execute(tx);
    if (numAffectedRows === 0n) return false;
    await insertItems(tx, key, items);
    if (next === null && (await isListFull(tx, key.importId))) {
      await tx.updateTable('library_import').set({ reason: LIST_FULL }).where('id', '=', key.importId).execute();
    }
    return true;
  });
}

/** Stores discovered properties of the source, such as its keys. Returns false if the tick has passed. */
export async function saveRequest(db: Db, key: ImportTick, sealed: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('library_import')
    .set({ request: sealed })
    .where('id', '=', key.importId)
    .where('tick', '=', key.tick)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Stores the outcome for the settings of the source. Does nothing if a later job works on the import. */
export async function saveSettingsReport(db: Db, key: ImportTick, report: SettingsReport): Promise<void> {
  await db
    .updateTable('library_import')
    .set({ settings_report: JSON.stringify(report) })
    .where('id', '=', key.importId)
    .where('tick', '=', key.tick)
    .execute();
}

/** Records the speed of a sample transfer, from which a plan estimates its time. */
export async function saveSpeed(db: Db, key: ImportTick, bytesPerSec: number): Promise<void> {
  await db
    .updateTable('library_import')
    .set({ source_bytes_per_sec: Math.max(1, Math.round(bytesPerSec)) })
    .where('id', '=', key.importId)
    .where('tick', '=', key.tick)
    .execute();
}

/** Passes an import to its next job. Does nothing if the tick has passed. `reason` tells people why it waits. */
export async function passOn(
  db: Db,
  key: ImportTick,
  { reason, send }: { reason: string | null; send: (tick: ImportTick) => FollowUp },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ tick: number }>`
      update library_import set tick = tick + 1,
        reason = case when state = 'cancelling' then reason else ${reason} end
      where id = ${key.importId} and tick = ${key.tick} and state in ('listing', 'running', 'cancelling')
      returning tick`.execute(tx);
    for (const { tick } of rows) await send({ ...key, tick })(tx);
  });
}

/** Returns what the transfers of an import wait for, such as free space, or null. */
export async function findShortage(db: Db, { importId }: ImportTick): Promise<string | null> {
  const { rows } = await sql<{ reason: string }>`
    select m.state_reason as reason from import_item i
    join media m on m.library_id = i.library_id and m.id = i.target_id
    where i.import_id = ${importId} and i.state = 'fetching' and m.state = 'created'
      and m.state_reason like ${`${SHORTAGE}%`} order by i.place limit 1`.execute(db);
  return rows[0]?.reason ?? (await findTooLarge(db, importId));
}

/** Returns the reason of the first file that is too large for the disk, with the title of its video, or null. */
async function findTooLarge(db: Db, importId: Guid): Promise<string | null> {
  const { rows } = await sql<{ title: string }>`
    select title from import_item
    where import_id = ${importId} and state = 'waiting' and reason = ${NO_SPACE} order by place limit 1`.execute(db);
  const [item] = rows;
  return item === undefined ? null : `${item.title}: ${NO_SPACE}`;
}

/** Starts no more items, for a reason that people read. Does nothing if the tick has passed. */
export async function stopImport(db: Db, key: ImportTick, reason: string): Promise<void> {
  await sql`update library_import set state = 'cancelling', reason = ${reason}
    where id = ${key.importId} and tick = ${key.tick} and state = 'running'`.execute(db);
}

/** Ends an import. Does nothing if the tick has passed. */
export async function endImport(
  db: Db,
  key: ImportTick,
  { state, reason }: { state: 'finished' | 'cancelled' | 'failed'; reason: string | null },
): Promise<void> {
  await sql`update library_import set state = ${state}, reason = ${reason}, ended_at = now()
    where id = ${key.importId} and tick = ${key.tick} and state in ('listing', 'running', 'cancelling')`.execute(db);
}
