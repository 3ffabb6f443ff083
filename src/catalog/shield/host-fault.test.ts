import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { http } from '../../lib/http.ts';
import { listen } from '../../lib/listen.ts';
import { requireOneHost } from './host-fault.ts';

const server = http.createServer(requireOneHost((_, response) => response.end('served')));
afterEach(() => server.close());

async function send(...hosts: string[]): Promise<string> {
  const socket = connect(await listen(server, 0, '127.0.0.1'), '127.0.0.1');
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
  socket.end(`GET / HTTP/1.1\r\n${lines}\r\nGET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n`);
  return readText(socket);
}

test('responds with 400 to two Host headers and serves no further request on that connection', async () => {
  const answer = await send('a', 'b');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('Expected one Host header, got several. Send the name of this server once.');
  expect(answer).not.toContain('served');
});

test('a request with one Host header is served', async () => {
  expect((await send('a')).match(/served/g)).toHaveLength(2);
});
