import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

const sockets: Socket[] = [];
let service: TestApi | null = null;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service?.stop();
  service = null;
});

/** Opens a connection that sends only the beginning of a request. */
async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  return socket;
}

test('limits the connections per client address, and accepts new ones after some have closed', async () => {
  service = await startTestApi({ limits: { connectionsPerClient: 3 } });
  const { port } = service.api;
  const held = [await open(port), await open(port), await open(port)];
  expect(await text(await open(port)).catch(() => '')).toBe('');
  for (const socket of held) socket.destroy();
  const url = `${service.url}/healthz`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
});

test('does not limit the connections of a trusted proxy', async () => {
  service = await startTestApi({ limits: { connectionsPerClient: 1 }, trustedProxies: ['127.0.0.0/8'] });
  for (let n = 0; n < 5; n += 1) await open(service.api.port);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});

test.each(['GET /healthz HTTP/1.1\r\nHost:', ''])(
  'times out an incomplete request head: %j',
  async (begun) => {
    service = await startTestApi({ limits: { headersTimeout: 300 } });
    const socket = connect(service.api.port, '127.0.0.1');
    sockets.push(socket);
    socket.write(begun);
    // By default, Node checks for incomplete heads every 30 s, which may exceed the limit of this test.
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  },
  15_000,
);

const BODY = { status: 'ok', version: '1.2.3', listeners: { api: 1 } };

test('shows the full state of the service to local callers and to callers with a key', async () => {
  service = await startTestApi({
    health: () => ({ status: 200, body: BODY }),
    trustedProxies: ['127.0.0.2'],
  });
  const { url, first } = service;
  const health = async (headers: Record<string, string>) =>
    (await fetch(`${url}/healthz`, { headers: { Connection: 'close', ...headers } })).json();
  const elsewhere = { 'X-Forwarded-For': '192.0.2.7' };
  expect(await health({})).toEqual(BODY);
  expect(await health(elsewhere)).toEqual({ status: 'ok' });
  expect(await health({ ...elsewhere, AccessKey: 'wrong' })).toEqual({ status: 'ok' });
  expect(await health({ ...elsewhere, AccessKey: first.libraryKey })).toEqual(BODY);
  expect(await health({ Origin: 'https://example.com' })).toEqual({ status: 'ok' });
});
