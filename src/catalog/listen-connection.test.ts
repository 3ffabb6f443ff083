import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { type Listener, listen } from './listen-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.stop());

/** pg emits this warning once per process. */
const warnings: Error[] = [];
process.on('warning', (warning) => warnings.push(warning));

const LISTENERS = sql<{ pid: number }>`select pid from pg_stat_activity where query like 'listen %'`;

test('all channels of a pool share one connection and subscribe again after it breaks', async () => {
  const { db, pool } = database;
  const heard: string[] = [];
  let connected = 0;
  const subscribe = (channel: string): Promise<Listener> =>
    listen(pool, channel, {
      onPayload: (payload) => heard.push(`${channel} ${payload}`),
      onConnected: () => {
        connected += 1;
      },
      onError: () => undefined,
    });
  const subscriptions = await Promise.all(['a', 'b', 'a'].map(subscribe));
  const notify = () => sql`select pg_notify('a', '1'), pg_notify('b', '2')`.execute(db);
  await notify();
  await expect.poll(() => new Set(heard)).toEqual(new Set(['a 1', 'b 2']));
  const { rows } = await LISTENERS.execute(db);
  expect(rows).toHaveLength(1);
  const before = connected;
  await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`.execute(db);
  await expect.poll(() => connected, { timeout: 20_000 }).toBe(before + 3);
  await subscriptions[2]?.close();
  await notify();
  await expect.poll(() => new Set(heard.slice(3))).toEqual(new Set(['a 1', 'b 2']));
  for (const subscription of subscriptions) await subscription.close();
  await expect.poll(async () => (await LISTENERS.execute(db)).rows).toEqual([]);
});

test('serialises the use of the connection by channels that open and close simultaneously', async () => {
  const handlers = { onPayload: () => undefined, onConnected: () => undefined, onError: () => undefined };
  const open = (channel: string) => listen(database.pool, channel, handlers);
  const first = await open('a');
  const others = await Promise.all(['b', 'c', 'd', 'e'].map(open));
  await Promise.all(others.map((subscription) => subscription.close()));
  await first.close();
  expect(warnings).toEqual([]);
});
