import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDatabaseAway } from '../../src/catalog/is-database-away.ts';
import { connectionName, openDatabaseCheck } from '../../src/compose/connections.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { freezeDatabase } from '../support/freeze-database.ts';

let api: TestApi;
let videoId: string;
let admin: pg.Client;

beforeAll(async () => {
  api = await startTestApi();
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Before' } });
  videoId = String(Object(body).guid);
  admin = new pg.Client(api.database.config);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await api.stop();
});

/** Sets whether new transactions of all sessions may write, and waits until the sessions of the pool follow. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  await admin.query('set default_transaction_read_only = off');
  await admin.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await admin.query('select pg_reload_conf()');
  const check = openDatabaseCheck(api.database);
  await expect.poll(async () => (await check()).ok, { timeout: 30_000 }).toBe(!isReadOnly);
}

test('with a read-only database, health fails, writes get 503 and Retry-After, and reads work', async () => {
  await setReadOnly(true);
  try {
    expect(await openDatabaseCheck(api.database)()).toEqual({
      ok: false,
      detail: 'database: read-only, because default_transaction_read_only is on',
    });
    const writes: [string, string, unknown][] = [
      ['POST', '/library/1/videos', { title: 'Meanwhile' }],
      ['POST', `/library/1/videos/${videoId}`, { title: 'Changed' }],
      ['PUT', `/library/1/videos/${videoId}`, Buffer.alloc(100)],
      ['DELETE', `/library/1/videos/${videoId}`, undefined],
      ['POST', '/library/1/collections', { name: 'Set' }],
      ['POST', '/library/1/live', { title: 'Live' }],
    ];
    for (const [method, path, body] of writes) {
      const answer = await api.call(method, path, body === undefined ? {} : { body });
      expect([method, path, answer.status, answer.headers.get('retry-after')]).toEqual([
        ...[method, path, 503],
        expect.stringMatching(/^\d+$/),
      ]);
    }
    expect((await api.call('GET', `/library/1/videos/${videoId}`)).status).toBe(200);
  } finally {
    await setReadOnly(false);
  }
  expect((await api.call('POST', '/library/1/videos', { body: { title: 'After' } })).status).toBe(200);
});

test('treats the error of a read-only transaction as an unavailable database', async () => {
  await admin.query('begin read only');
  const error: unknown = await admin.query('create table never ()').catch((thrown: unknown) => thrown);
  await admin.query('rollback');
  expect([Object(error).code, isDatabaseAway(error)]).toEqual(['25006', true]);
});

test('health reports an unresponsive database as the reason, even during many checks', async () => {
  const check = openDatabaseCheck(api.database);
  const resume = freezeDatabase(api.database);
  try {
    for (const health of await Promise.all([check(), check(), check()])) {
      expect(health).toEqual({ ok: false, detail: 'database: no response within 2500 ms' });
    }
    expect(api.database.pool.totalCount - api.database.pool.idleCount).toBeLessThanOrEqual(1);
  } finally {
    resume();
  }
  await expect.poll(async () => await check(), { timeout: 30_000 }).toEqual({ ok: true });
});

test('database connections are named after their role and machine', () => {
  expect(connectionName('edge')).toMatch(/^millrace-edge@\S+$/);
  expect(Buffer.byteLength(connectionName('x'.repeat(100)))).toBe(63);
});
