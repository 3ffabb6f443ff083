import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { type ImportCounts, ITEM_STATES, type ItemReport, type ItemState } from './library-import.ts';

export type ItemQuery = { page: number; itemsPerPage: number; state: ItemState | '' };

/** Number of items that the report reads at once. */
const REPORT_ITEMS = 1_000;

const REPORTED = sql`i.place, i.kind, i.source_id as "sourceId", i.title, i.target_id as "targetId",
  i.size_bytes as "sizeBytes", i.duration_sec as "durationSec", i.file_bytes as "fileBytes", i.state, i.reason,
  i.is_retryable as "isRetryable", i.notes, case when m.id is not null then jsonb_build_object(
    'sizeBytes', m.source_bytes, 'durationMs', m.duration_ms, 'state', m.state) end as stored`;
const STORED = sql`left join media m on i.state = 'imported' and m.library_id = i.library_id and m.id = i.target_id
  and m.type <> 'trash'`;

export async function countItems(db: Db, importId: Guid): Promise<ImportCounts> {
  const counts = Object.fromEntries(ITEM_STATES.map((state) => [state, 0])) as Record<ItemState, number>;
  const { rows } = await sql<{ state: ItemState; items: number; bytes: number; sec: number; unknown: number }>`
    select state, count(*) as items, coalesce(sum(size_bytes), 0)::bigint as bytes,
      count(*) filter (where kind = 'video' and size_bytes is null) as unknown,
      coalesce(sum(duration_sec), 0)::bigint as sec
    from import_item where import_id = ${importId} group by state`.execute(db);
  for (const { state, items } of rows) counts[state] = items;
  const importable = rows.filter(({ state }) => state !== 'skipped');
  const open = rows.filter(({ state }) => state === 'waiting' || state === 'fetching');
  const sum = (pick: (row: (typeof rows)[number]) => number, of = rows) => of.reduce((all, row) => all + pick(row), 0);
  return {
    ...counts,
    total: sum(({ items }) => items),
    sizeBytes: sum(({ bytes }) => bytes, importable),
    durationSec: sum(({ sec }) => sec, importable),
    openBytes: sum(({ bytes }) => bytes, open),
    importedBytes: sum(({ bytes, state }) => (state === 'imported' ? bytes : 0)),
    unknownSizes: sum(({ unknown }) => unknown, open),
  };
}

/** Returns a page of items in the order of the source, and the number of all matches. */
export async function listItems(
  db: Db,
  importId: Guid,
  { page, itemsPerPage, state }: ItemQuery,
): Promise<{ total: number; items: ItemReport[] }> {
  const matches = sql`import_id = ${importId} and (${state} = '' or state = ${state})`;
  const { rows: items } = await sql<ItemReport>`
    select ${REPORTED}
    from (select * from import_item where ${matches} order by place limit ${itemsPerPage}
      offset ${(page - 1) * itemsPerPage}) i
    ${STORED}
    order by i.place
  `.execute(db);
  const { rows } = await sql<{ total: number }>`select count(*) as total from import_item where ${matches}`.execute(db);
  return { total: rows[0]?.total ?? 0, items };
}

/** Reads all items in the order of the source, a part at a time. Each part takes the same time. */
export async function* readItems(db: Db, importId: Guid): AsyncGenerator<ItemReport> {
  for (let last = 0; ; ) {
    const { rows } = await sql<ItemReport>`
      select ${REPORTED}
      from (select * from import_item where import_id = ${importId} and place > ${last} order by place
        limit ${REPORT_ITEMS}) i
      ${STORED}
      order by i.place`.execute(db);
    yield* rows;
    last = rows.at(-1)?.place ?? last;
    if (rows.length < REPORT_ITEMS) return;
  }
}
