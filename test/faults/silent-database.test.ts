import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/catalog/db.ts';
import { isDatabaseAway } from '../../src/catalog/is-database-away.ts';
import { listen } from '../../src/catalog/listen-store.ts';
import { watchPublications } from '../../src/catalog/publications/publication-watch-store.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';

let server: TestDatabase;
let way: { port: number; goSilent(): void; close(): Promise<void> };
let database: Database;

beforeAll(async () => {
  server = await startTestDatabase();
  way = await openWay(path.join(String(server.config.host), '.s.PGSQL.5432'));
  database = openDatabase(configOf(), () => undefined);
});
afterAll(async () => {
  await database.close();
  await way.close();
  await server.stop();
});

const configOf = () => ({ ...server.config, host: '127.0.0.1', port: way.port });

/**
 * Opens a proxy to the database that can drop all data of its open connections without closing them, like lost packets.
 */
async function openWay(target: string): Promise<typeof way> {
  const pairs: [Socket, Socket][] = [];
  const listener: Server = createServer((near) => {
    const far = connect(target);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port.');
  return {
    port: address.port,
    goSilent() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.pause();
      }
    },
    async close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

test('closes unresponsive database connections, and callers and listeners recover within 20 s', {
  timeout: 60_000,
}, async () => {
  const { pool } = database;
  const connected = { queue: 0, edge: 0 };
  const ignore = () => undefined;
  const listener = await listen(pool, 'a', {
    onPayload: ignore,
    onConnected: () => (connected.queue += 1),
    onError: ignore,
  });
  const watch = watchPublications(pool, {
    change: ignore,
    listening: () => (connected.edge += 1),
    lost: ignore,
  });
  try {
    await Promise.all([pool.query('select pg_sleep(0.2)'), pool.query('select pg_sleep(0.2)')]);
    await expect.poll(() => connected, { timeout: 20_000 }).toEqual({ queue: 1, edge: 1 });
    way.goSilent();
    const beganMs = performance.now();
    const failure = await pool.query('select 1').then(
      () => null,
      (error: unknown) => error,
    );
    expect(isDatabaseAway(failure)).toBe(true);
    // The pool's other connection was also lost, so this runs on a new one.
    expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    await expect.poll(() => connected, { timeout: 20_000 }).toEqual({ queue: 2, edge: 2 });
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  } finally {
    await Promise.all([listener.close(), watch.close()]);
  }
});

test('statements and lock waits time out', { timeout: 60_000 }, async () => {
  const limits = { statementMs: 700, lockMs: 300 };
  const hurried = openDatabase({ ...server.config, limits }, () => undefined);
  const holder = await server.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table media');
    const failures = [hurried.pool.query('select pg_sleep(30)'), hurried.pool.query('select * from media')];
    const areAway = failures.map((each) => each.then(() => false, isDatabaseAway));
    expect(await Promise.all(areAway)).toEqual([true, true]);
  } finally {
    await holder.query('rollback');
    holder.release();
    await hurried.close();
  }
});
