import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { migrate, openDatabase } from '../db.ts';

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

test('a new database has one row of each singleton table', async () => {
  const counts = ['encode_clock', 'installation', 'orphan_sweep', 'shield_settings'].map(
    (table) => sql`select count(*)::int as n from ${sql.table(table)}`,
  );
  for (const count of counts) expect((await count.execute(database.db)).rows).toEqual([{ n: 1 }]);
});

test.each([
  ['an earlier development version', ['001-catalog', '310-programme-clock'], 'an earlier development version'],
  ['a newer version', ['001-baseline', '999-later'], 'with 999-later of a newer version'],
])('rejects a database of %s and leaves it unchanged', async (_what, names, reason) => {
  await sql`create database other`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'other' }, () => {});
  try {
    await sql`create table kysely_migration (name varchar(255) primary key, timestamp varchar(255))`.execute(db);
    for (const name of names) await sql`insert into kysely_migration values (${name}, '2026')`.execute(db);
    await expect(migrate(db)).rejects.toThrow(reason);
    const { rows } = await sql`select tablename from pg_tables where schemaname = 'public'`.execute(db);
    expect(rows).toEqual([{ tablename: 'kysely_migration' }]);
  } finally {
    await close();
    await sql`drop database other`.execute(database.db);
  }
});

test('migrates a database of the first version without changing the loudness of normalised audio', async () => {
  await sql`create database first`.execute(database.db);
  const { db, close } = openDatabase({ ...database.config, database: 'first' }, () => {});
  try {
    await migrate(db, ['001-baseline']);
    for (const normalises of [true, false]) {
      await db.connection().execute(async (one) => {
        await sql`set session_replication_role = replica`.execute(one);
        await sql`
          insert into rendition (library_id, media_id, id, timeline_id, kind, origin, codec, key_group, state, plan,
            timescale)
          values (1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'audio', 'encode', 'aac', 'audio',
            'finished', jsonb_build_object('durationSec', 4, 'normaliseLoudness', ${normalises}::boolean), 48000)
        `.execute(one);
      });
    }
    await migrate(db);
    const found = sql`select plan->'loudnessTargetLufs' as target, loudness from rendition order by 1`;
    const { rows } = await found.execute(db);
    expect(rows).toEqual([
      { target: -16, loudness: null },
      { target: null, loudness: null },
    ]);
  } finally {
    await close();
    await sql`drop database first`.execute(database.db);
  }
});

test('rejects a backup with migrations that this version does not have', async () => {
  await expect(migrate(database.db, ['001-baseline', '999-later'])).rejects.toThrow('a newer version');
});
