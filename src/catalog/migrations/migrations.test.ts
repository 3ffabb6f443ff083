import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { newGuid } from '../../lib/guid.ts';
import { bumpPublication, migrate, openDatabase } from '../db.ts';
import { migrations } from './all.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('migrating twice, or from two processes simultaneously, changes nothing', async () => {
  await Promise.all([migrate(database.db), migrate(database.db)]);
  const { rows } = await sql<{ n: number }>`select count(*) as n from media`.execute(database.db);
  expect(rows).toEqual([{ n: 0 }]);
});

test('a database with the names used before 280 keeps its images and its revisions', async () => {
  // Messages contain the names of renditions.
  const lines = (...values: string[]) => values.map((value) => ({ value, level: 2 }));
  await sql`create database earlier`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'earlier' }, () => {});
  try {
    await migrate(
      db,
      Object.keys(migrations).filter((name) => name < '280'),
    );
    const key = { libraryId: await addLibraryRow(db), mediaId: newGuid() };
    const { libraryId, mediaId } = key;
    const named = JSON.stringify(lines('Sound (und)', 'Sound (en)', 'Picture vp9'));
    await sql`insert into media (library_id, id, type, title, state, publication, pictures, messages)
      values (${libraryId}, ${mediaId}, 'video', 'a film', 'finished', 7, '{"folder":"f"}', ${named})`.execute(db);
    await sql`insert into picture values (${libraryId}, ${mediaId}, 'x/poster', 'thumbnail', 5)`.execute(db);
    await migrate(db);
    const { messages } = await db.selectFrom('media').select('messages').executeTakeFirstOrThrow();
    expect(messages).toEqual(lines('Audio', 'Audio (en)', 'Video vp9'));
    const { rows } = await sql`select m.revision::int, m.images, i.storage_key, i.size_bytes::int as size
      from media m join image i on i.library_id = m.library_id and i.media_id = m.id`.execute(db);
    expect(rows).toEqual([{ revision: 7, images: { folder: 'f' }, storage_key: 'x/poster', size: 5 }]);
    // The table's triggers increment it too, although their functions contain column names as text.
    expect(await db.transaction().execute((tx) => bumpPublication(tx, key))).toBe(8);
  } finally {
    await close();
  }
});
