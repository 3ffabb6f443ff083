import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { watchPublications } from './publication-watch-store.ts';

test('connections that broke are not held until the watch is closed', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const listened = vi.spyOn(AbortSignal.prototype, 'addEventListener');
  const { promise, resolve } = Promise.withResolvers<void>();
  let losses = 0;
  const lost = () => {
    losses += 1;
    if (losses === 3) resolve();
  };
  const listener = { change: () => undefined, listening: () => undefined, lost };
  const watch = watchPublications({ host: '127.0.0.1', port, user: 'a' }, listener);
  await promise;
  const signals = listened.mock.contexts.filter((context) => context instanceof AbortSignal);
  expect(signals.length).toBeGreaterThan(2);
  // One may be that of the pause before the next connection.
  const left = [...new Set(signals)].flatMap((signal) => getEventListeners(signal, 'abort'));
  expect(left.length).toBeLessThan(2);
  await watch.close();
  server.close();
});
