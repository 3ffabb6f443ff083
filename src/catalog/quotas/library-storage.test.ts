import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { addRows } from '../../../test/support/rendition-rows.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { goneBytes } from '../retired-object-store.ts';
import { createQuotaStore } from './quota-store.ts';
import { requireStorageQuota, sumStoredBytes } from './storage-quota-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  await addLibraryRow(database.db, {});
});
afterAll(() => database.stop());

/** Returns the stored bytes by their changes and by their rows. */
async function readTotals() {
  const { rows } = await sql<{ changes: number; rows: number }>`
    select coalesce((select sum(bytes) from library_storage where library_id = 1), 0)::bigint as changes,
      (coalesce((select sum(storage_bytes) from media where library_id = 1), 0)
        - ${sql.raw(goneBytes('gone.library_id = 1'))})::bigint as rows`.execute(database.db);
  return rows[0];
}

const countRows = async () => (await sql`select from library_storage`.execute(database.db)).rows.length;

async function addMedia(bytes: number): Promise<Guid> {
  const id = newGuid();
  const row = { library_id: 1, id, type: 'video' as const, title: 'T', state: 'finished' as const };
  await database.db
    .insertInto('media')
    .values({ ...row, storage_bytes: bytes })
    .execute();
  return id;
}

/** Sets the time at which renditions or objects of a media item were retired. */
const retire = (table: 'rendition' | 'retired_object', mediaId: Guid, at: string | null) =>
  sql`update ${sql.table(table)} set retired_at = ${at} where media_id = ${mediaId}`.execute(database.db);

test('the sum of the changes is the sum of the rows after each change of a row', async () => {
  const { db } = database;
  const [first, second] = [await addMedia(0), await addMedia(700)];
  const steps: [bytes: number, step: () => Promise<unknown>][] = [
    [1_200, () => db.updateTable('media').set({ storage_bytes: 500 }).where('id', '=', first).execute()],
    [1_200, () => db.updateTable('media').set({ title: 'Other' }).execute()],
    [1_200, () => addRows(db, first, [{ rung: 240 }, { rung: null }])],
    [998, () => retire('rendition', first, 'now')],
    [988, () => sql`update rendition set storage_bytes = storage_bytes + 5`.execute(db)],
    [1_200, () => retire('rendition', first, null)],
    [988, () => retire('rendition', first, 'now')],
    [
      988,
      () =>
        sql`
        insert into retired_object select n::text, 1, ${second}, n, 'infinity' from generate_series(1, 4) n`.execute(
          db,
        ),
    ],
    [978, () => retire('retired_object', second, 'epoch')],
    [981, () => sql`delete from retired_object where storage_key in ('1', '2')`.execute(db)],
    [1_087, () => sql`delete from rendition where kind = 'audio'`.execute(db)],
    [693, () => db.deleteFrom('media').where('id', '=', first).execute()],
    [0, () => db.deleteFrom('media').execute()],
  ];
  for (const [index, [bytes, step]] of steps.entries()) {
    await step();
    const totals = await readTotals();
    expect([index, totals?.changes, totals?.rows]).toEqual([index, bytes, bytes]);
    if (index % 2 === 0) await sumStoredBytes(db);
  }
  await sumStoredBytes(db);
  expect(await countRows()).toBe(0);
});

test('writers at the same time wait neither for each other nor for the sum, and no change is lost', async () => {
  const { db } = database;
  const ids = await Promise.all(Array.from({ length: 10 }, () => addMedia(0)));
  const grow = async (id: Guid) => {
    for (let time = 0; time < 20; time += 1) {
      await sql`update media set storage_bytes = storage_bytes + 3 where id = ${id}`.execute(db);
    }
  };
  const sum = async () => {
    for (let time = 0; time < 20; time += 1) await sumStoredBytes(db);
  };
  await db.transaction().execute(async (tx) => {
    // An open transaction blocks no other writer.
    await sql`update media set storage_bytes = 1 where id = ${await addMedia(0)}`.execute(tx);
    await Promise.all([...ids.map(grow), sum(), sum()]);
    expect(await readTotals()).toEqual({ changes: 600, rows: 600 });
  });
  await sumStoredBytes(db);
  expect([await readTotals(), await countRows()]).toEqual([{ changes: 601, rows: 601 }, 1]);
  await db.deleteFrom('media').execute();
});

/** Counts the rows that this connection has read of the tables with stored bytes. */
async function countRead(tx: Tx): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as read from pg_stat_xact_user_tables
    where relname in ('media', 'rendition', 'retired_object', 'library_storage')`.execute(tx);
  return rows[0]?.read ?? 0;
}

test('a check of the limit reads no row of the videos that are stored', async () => {
  const { db } = database;
  onTestFinished(async () => void (await db.deleteFrom('media').execute()));
  await sql`
    with added as (
      insert into media (library_id, id, type, title, state, storage_bytes)
      select 1, gen_random_uuid(), 'video', 'T', 'finished', 10 from generate_series(1, 500) returning library_id, id)
    insert into retired_object (storage_key, library_id, media_id, size_bytes, retired_at)
    select id::text, library_id, id, 4, now() from added`.execute(db);
  await sumStoredBytes(db);
  await createQuotaStore(db).change(1, { storageBytes: { limit: 3_001, mode: 'hard' } });
  const read = await inTransaction(db, async (tx) => {
    const before = await countRead(tx);
    await requireStorageQuota(tx, 1, { bytes: 1 });
    return (await countRead(tx)) - before;
  });
  expect(read).toBeLessThan(5);
  await expect(inTransaction(db, (tx) => requireStorageQuota(tx, 1, { bytes: 2 }))).rejects.toThrow('3 kB of 3.001 kB');
});
