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
])('refuses a database of %s and leaves it as it is', async (_what, names, reason) => {
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

test('refuses the migrations of a backup that this version does not have', async () => {
  await expect(migrate(database.db, ['001-baseline', '999-later'])).rejects.toThrow('a newer version');
});
