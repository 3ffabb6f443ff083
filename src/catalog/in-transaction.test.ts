import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { CommitInDoubt, inTransaction } from './in-transaction.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
  // Delays the commit after a row was written.
  await sql`
    create table slow (name text);
    create function wait_a_while() returns trigger language plpgsql as
      'begin if new.name = ''refused'' then raise ''no''; end if; perform pg_sleep(1); return null; end';
    create constraint trigger at_commit after insert on slow deferrable initially deferred
      for each row execute function wait_a_while()
  `.execute(database.db);
});
afterAll(() => database.stop());

async function countOf(name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from slow where name = ${name}`.execute(database.db);
  return Number(rows[0]?.count);
}

test('throws CommitInDoubt if the result of a commit is lost, because the commit may have succeeded', async () => {
  const used = new Set<pg.PoolClient>();
  database.pool.on('acquire', (client) => used.add(client));
  const done = inTransaction(database.db, async (tx) => {
    await sql`insert into slow values ('lost answer')`.execute(tx);
    // The commit is in progress by now.
    setTimeout(() => used.forEach((client) => void Reflect.get(client, 'connection').stream.destroy()), 300);
  });
  await expect(done).rejects.toThrow(CommitInDoubt);
  await vi.waitFor(async () => expect(await countOf('lost answer')).toBe(1), { timeout: 20_000, interval: 100 });
});

test('throws the original error, not CommitInDoubt, if the task fails or the database rejects the commit', async () => {
  const failing = inTransaction(database.db, async (tx) => {
    await sql`insert into slow values ('failed')`.execute(tx);
    throw new Error('a deliberate failure');
  });
  await expect(failing).rejects.toThrow('a deliberate failure');
  const refused = inTransaction(database.db, async (tx) => {
    await sql`insert into slow values ('refused')`.execute(tx);
  });
  await expect(refused).rejects.toMatchObject({ code: 'P0001' });
  expect([await countOf('failed'), await countOf('refused')]).toEqual([0, 0]);
});
