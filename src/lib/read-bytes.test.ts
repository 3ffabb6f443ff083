import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBytes } from './read-bytes.ts';

const WANTED = { what: 'a report', limitBytes: 10 };
let seen: { message: IncomingMessage; result: Promise<Buffer> };
const server = createServer((message, response) => {
  const result = Promise.resolve().then(() => readBytes(message, WANTED));
  seen = { message, result };
  result.then(
    (bytes) => response.end(bytes),
    () => response.writeHead(413).end(),
  );
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

function post(headers: Record<string, string | number> = {}) {
  const { port } = server.address() as AddressInfo;
  return request({ port, host: '127.0.0.1', method: 'POST', headers });
}

test('reads a complete body within the limit in any number of chunks', async () => {
  const sent = post();
  for (const part of ['abc', 'def', 'ghij']) sent.write(part);
  sent.end();
  const [response] = await once(sent, 'response');
  expect((await once(response, 'data'))[0].toString()).toBe('abcdefghij');
});

test('refuses a body with an announced size above the limit before it arrives', async () => {
  const sent = post({ 'Content-Length': 11 });
  sent.flushHeaders();
  const [response] = await once(sent, 'response');
  expect(response.statusCode).toBe(413);
  await expect(seen.result).rejects.toMatchObject({ kind: 'too-large' });
  sent.destroy();
});

test('rejects a body that exceeds the limit and discards the remaining bytes', async () => {
  const sent = post();
  sent.write('abcdefghijk');
  const [response] = await once(sent, 'response');
  expect(response.statusCode).toBe(413);
  await expect(seen.result).rejects.toMatchObject({ kind: 'too-large' });
  const { message } = seen;
  for (let part = 0; part < 100; part += 1) sent.write('x'.repeat(10_000));
  sent.end();
  await expect.poll(() => message.readableEnded).toBe(true);
});

test('refuses a body whose connection ends early', async () => {
  const sent = post({ 'Content-Length': 9 });
  sent.on('error', () => undefined);
  sent.write('abc');
  await once(server, 'request');
  const { result } = seen;
  sent.destroy();
  await expect(result).rejects.toMatchObject({ kind: 'invalid' });
});
