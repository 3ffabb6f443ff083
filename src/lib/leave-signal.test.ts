import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaveSignal } from './leave-signal.ts';

let port = 0;
let opened = Promise.withResolvers<ServerResponse>();
const server = createServer((_, response) => opened.resolve(response));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('Expected a port.');
  port = address.port;
});
afterAll(() => {
  server.close();
});

async function open() {
  opened = Promise.withResolvers();
  const client = request({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  client.on('response', (answer) => answer.resume());
  client.end();
  return { client, response: await opened.promise };
}

test('aborts with the given reason when the client disconnects', async () => {
  const { client, response } = await open();
  const signal = leaveSignal(response, () => new Error('The caller left.'));
  expect(signal.aborted).toBe(false);
  client.destroy();
  await once(response, 'close');
  expect(signal.reason).toEqual(new Error('The caller left.'));
});

test('is already aborted if the client disconnected earlier', async () => {
  const { client, response } = await open();
  client.destroy();
  await once(response, 'close');
  expect(leaveSignal(response).aborted).toBe(true);
});

test('does not abort after a complete response', async () => {
  const { response } = await open();
  const signal = leaveSignal(response);
  response.end('whole');
  await once(response, 'close');
  expect(signal.aborted).toBe(false);
  expect(leaveSignal(response).aborted).toBe(false);
});
