import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { addLibraryRow } from '../../test/support/library-row.ts';
import { findRetiredObjects } from './retired-object-store.ts';

let database: TestDatabase;
let libraryId: number;
beforeAll(async () => {
  database = await startTestDatabase();
  libraryId = await addLibraryRow(database.db, {});
});
afterAll(() => database.stop());
beforeEach(() => database.db.deleteFrom('media').execute());

/** Adds videos, each with `objects` due objects and one that is not due yet. */
async function addRetired(videos: number, objects: number): Promise<void> {
  await sql`
    with added as (
      insert into media (library_id, id, type, title, state)
      select ${libraryId}, gen_random_uuid(), 'video', 'T', 'finished' from generate_series(1, ${videos}::int)
      returning library_id, id
    )
    insert into retired_object (storage_key, library_id, media_id, size_bytes, retired_at)
    select id || '/' || n, library_id, id, 1, case when n = 0 then now() else 'epoch' end
    from added, generate_series(0, ${objects}::int) n
  `.execute(database.db);
}

test('returns all due objects of a video together, in any order of videos', async () => {
  await addRetired(500, 20);
  const found = await findRetiredObjects(database.db);
  expect(found).toHaveLength(100);
  expect(new Set(found.map(({ objects }) => objects.length))).toEqual(new Set([20]));
  for (const { key, objects } of found) {
    expect(key.libraryId).toBe(libraryId);
    expect(objects.every((object) => object.startsWith(key.mediaId) && !object.endsWith('/0'))).toBe(true);
  }
  const others = await findRetiredObjects(database.db);
  expect(others.map(({ key }) => key)).not.toEqual(found.map(({ key }) => key));
});

test('returns a bounded number of objects of a very large video, and different objects each time', async () => {
  await addRetired(1, 2_000);
  const looks = [await findRetiredObjects(database.db), await findRetiredObjects(database.db)];
  expect(looks.map((found) => found.map(({ objects }) => objects.length))).toEqual([[500], [500]]);
  expect(new Set(looks.flat().flatMap(({ objects }) => objects)).size).toBeGreaterThan(500);
});

test('returns no object before it is due', async () => {
  await addRetired(3, 0);
  expect(await findRetiredObjects(database.db)).toEqual([]);
  expect(await findRetiredObjects(database.db, 0)).toHaveLength(3);
});
