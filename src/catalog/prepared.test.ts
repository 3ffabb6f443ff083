import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { prepare } from './prepared.ts';

const selectThings = prepare<{ id: number }>('test_things', 'select * from thing where id = $1');
let database: TestDatabase;

beforeAll(async () => {
  database = await startTestDatabase();
  await sql`create table thing as select generate_series(1, 9) as id`.execute(database.db);
});
afterAll(() => database.stop());

test('plans a prepared statement once per connection, and caches no plan of other statements', async () => {
  await database.db.connection().execute(async (one) => {
    for (const id of [1, 2, 3]) expect(await selectThings(one, [id])).toEqual([{ id }]);
    await sql`select id from thing where id = ${4}`.execute(one);
    const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(one);
    expect(rows).toEqual([{ name: 'millrace_test_things' }]);
  });
});

test('discards a cached plan that a migration invalidated, and rethrows other errors', async () => {
  await database.db.connection().execute(async (one) => {
    await selectThings(one, [5]);
    await sql`alter table thing add column name text default 'five'`.execute(one);
    for (let time = 0; time < 2; time += 1) expect(await selectThings(one, [5])).toEqual([{ id: 5, name: 'five' }]);
    await expect(selectThings(one, ['no number'])).rejects.toThrow(/integer/);
  });
});
