import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
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

test('each HTTP server of the service checks for ambiguous hosts', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const isServer = /\bhttp\.createServer\(|\bcreateWebServer\(|createServer as createSecureServer \} from 'node:https'/;
  const servers = files
    // The callers of `createWebServer` add the check themselves.
    .filter((file) => file !== path.join('lib', 'tls', 'create-web-server.ts'))
    .map((file) => ({ file, code: readFileSync(path.join(root, file), 'utf8') }))
    .filter(({ code }) => isServer.test(code));
  expect(servers.length).toBeGreaterThan(4);
  const guarded = /requireOneHost\(|findHostFault\(|handleRequest\(/;
  expect(servers.filter(({ code }) => !guarded.test(code)).map(({ file }) => file)).toEqual([]);
});
