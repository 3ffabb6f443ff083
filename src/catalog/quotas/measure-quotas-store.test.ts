import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import type { Schema } from '../schema.ts';
import { measureLibraries } from './measure-quotas-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** Adds a library with four limits of 10, whose stored use is 7, and with one stored video. */
async function addLimited(bytes: number): Promise<number> {
  const { db } = database;
  const id = await addLibraryRow(db);
  const insert = sql`insert into library_quota (library_id, resource, max_amount, mode, used)
    select ${id}, name, 10, 'hard', 7 from
      unnest(array['storageBytes', 'concurrentViewers', 'encodedMinutesPerMonth', 'concurrentLiveStreams']) name`;
  await insert.execute(db);
  const video = { library_id: id, id: newGuid(), type: 'video' as const, title: 'T', state: 'finished' as const };
  await db
    .insertInto('media')
    .values({ ...video, storage_bytes: bytes })
    .execute();
  return id;
}

const usesOf = async (id: number) =>
  (
    await sql<{ used: number }>`select used from library_quota where library_id = ${id} order by used`.execute(
      database.db,
    )
  ).rows.map(({ used }) => used);

test('measuring many libraries takes as many queries as one, and a locked limit delays no other', async () => {
  const queries: string[] = [];
  const dialect = new PostgresDialect({ pool: database.pool });
  const counted = new Kysely<Schema>({ dialect, log: ({ query }) => void queries.push(query.sql) });
  const first = await addLimited(5);
  expect(await measureLibraries(counted)).toEqual([]);
  expect([queries.length, await usesOf(first)]).toEqual([2, [0, 0, 0, 5]]);
  const many = await Promise.all(Array.from({ length: 20 }, () => addLimited(3)));
  const [locked = 0, other = 0] = many;
  queries.length = 0;
  await database.db.transaction().execute(async (tx) => {
    await sql`select from library_quota where library_id = ${locked} for update`.execute(tx);
    expect(await measureLibraries(counted)).toEqual([locked]);
  });
  expect([queries.length, await usesOf(other), await usesOf(locked)]).toEqual([2, [0, 0, 0, 3], [7, 7, 7, 7]]);
});

test('a library that reaches a threshold is measured by itself, and unchanged limits are not written', async () => {
  const { db } = database;
  const id = await addLimited(8);
  expect(await measureLibraries(db)).toContain(id);
  expect(await usesOf(id)).toEqual([0, 0, 0, 7]);
  await db.deleteFrom('media').where('library_id', '=', id).execute();
  expect(await measureLibraries(db)).not.toContain(id);
  const versions = async () =>
    (await sql<{ xmin: string }>`select xmin::text from library_quota where library_id = ${id}`.execute(db)).rows;
  const before = await versions();
  await measureLibraries(db);
  expect(await versions()).toEqual(before);
  await sql`update library_quota set measured_at = now() - interval '61 seconds' where library_id = ${id}`.execute(db);
  await measureLibraries(db);
  const stale = sql`select from library_quota where measured_at < now() - interval '1 minute'`;
  expect((await stale.execute(db)).rows).toEqual([]);
});
