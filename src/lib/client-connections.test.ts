import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readTrustedProxies } from './client-address.ts';
import { ClientConnections } from './client-connections.ts';

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server?.close());

/** Returns the server's side of a new connection. */
async function open(): Promise<Socket> {
  const accepted = once(server, 'connection');
  const client = connect(Number(Object(server.address()).port), '127.0.0.1').on('error', () => undefined);
  const [socket] = (await accepted) as [Socket];
  onTestFinished(() => {
    socket.destroy();
    client.destroy();
  });
  return socket;
}

const limits = { perClient: 2, trusted: readTrustedProxies(['10.0.0.0/8']) };

test('connections through a proxy are counted for the client that the proxy names', async () => {
  const connections = new ClientConnections(limits);
  const [first, second, third] = [await open(), await open(), await open()];
  expect([connections.admit(first, '192.0.2.1'), connections.admit(second, '192.0.2.1')]).toEqual([true, true]);
  expect(connections.admit(third, '192.0.2.1')).toBe(false);
  expect(connections.admit(third, '192.0.2.2')).toBe(true);
  connections.release(first);
  expect(connections.admit(await open(), '192.0.2.1')).toBe(true);
  const closed = once(second, 'close');
  second.destroy();
  await closed;
  expect(connections.admit(await open(), '192.0.2.1')).toBe(true);
  expect(connections.admit(await open(), '192.0.2.1')).toBe(false);
});

test('connections without a named client are counted for their address', async () => {
  const connections = new ClientConnections(limits);
  const admitted = [connections.admit(await open()), connections.admit(await open()), connections.admit(await open())];
  expect(admitted).toEqual([true, true, false]);
});

test('an IPv6 network of 64 bits is one client, and a trusted proxy has no limit', async () => {
  const connections = new ClientConnections(limits);
  const admit = async (address: string) => connections.admit(await open(), address);
  expect([await admit('2001:db8::1'), await admit('2001:db8::2'), await admit('2001:db8::3')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await admit('2001:db8:0:1::1')).toBe(true);
  for (let count = 0; count < 4; count += 1) expect(await admit('10.0.0.1')).toBe(true);
});
