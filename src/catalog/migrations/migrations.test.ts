import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { migrate } from '../db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('migrating twice and from two places at once changes nothing', async () => {
  await Promise.all([migrate(database.db), migrate(database.db)]);
  const { rows } = await sql<{ n: number }>`select count(*) as n from media`.execute(database.db);
  expect(rows).toEqual([{ n: 0 }]);
});
