import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { takeMoveLock } from './move-lock-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

test('only one process at a time may move objects, and another takes over if its connection is lost', async () => {
  const first = await takeMoveLock(database.pool);
  await first?.check();
  expect(await takeMoveLock(database.pool)).toBeNull();
  const holders = "select pid from pg_locks where locktype = 'advisory' and granted";
  await database.pool.query(`select pg_terminate_backend(pid) from (${holders}) as held`);
  await expect(first?.check()).rejects.toMatchObject({ kind: 'unavailable' });
  await first?.release();
  const second = await takeMoveLock(database.pool);
  expect(second).not.toBeNull();
  await second?.release();
});
