import { createServer, type Server, Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from './db.ts';
import { keepListening, listen } from './listen-store.ts';
import { watchPublications } from './publications/publication-watch-store.ts';

let server: Server;
let config: pg.ClientConfig;
beforeAll(async () => {
  server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('Expected a port.');
  config = { host: '127.0.0.1', port: address.port, user: 'a' };
});
afterAll(() => {
  server.close();
});

const ignore = () => undefined;

const CONNECTIONS = {
  'the pool': async () => {
    const { pool, close } = openDatabase(config, ignore);
    await expect(pool.query('select 1')).rejects.toThrow();
    await close();
  },
  'the listener for work': async () => {
    const { pool, close } = openDatabase(config, ignore);
    const handlers = { onPayload: ignore, onConnected: ignore, onError: ignore };
    await expect(listen(pool, 'a', handlers)).rejects.toThrow();
    await close();
  },
  'the listener for publications': async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { pool, close } = openDatabase(config, ignore);
    const watch = watchPublications(pool, { change: ignore, listening: ignore, lost: resolve });
    await promise;
    await watch.close();
    await close();
  },
};

test.each(Object.entries(CONNECTIONS))(
  'probes connections of %s before the network drops them',
  async (...[, connect]) => {
    const kept = vi.spyOn(Socket.prototype, 'setKeepAlive');
    await connect();
    expect(kept.mock.calls).toEqual([[true, 5_000]]);
    kept.mockRestore();
  },
);

test('retries a failed connection until the last subscription is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { pool, close } = openDatabase(config, ignore);
  const onError = vi.fn();
  const handlers = { onPayload: ignore, onConnected: ignore, onError };
  const subscriptions = [keepListening(pool, 'a', handlers), keepListening(pool, 'b', handlers)];
  await vi.waitUntil(() => vi.getTimerCount() === 1);
  const failures = onError.mock.calls.length;
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.waitUntil(() => onError.mock.calls.length > failures && vi.getTimerCount() === 1);
  await subscriptions[0]?.close();
  expect(vi.getTimerCount()).toBe(1);
  await subscriptions[1]?.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await close();
});
