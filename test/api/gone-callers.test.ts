import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { readBytes } from '../../src/lib/read-bytes.ts';
import { startTestApi } from '../support/api.ts';

const left = Promise.withResolvers<IncomingMessage>();
const server = createServer((request) => {
  request.once('close', () => left.resolve(request));
  caller.resetAndDestroy();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const caller = connect(Object(server.address()).port, '127.0.0.1');
afterAll(() => server.close());

test('rejects a body immediately if its client disconnected before it was read', async () => {
  caller.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  const read = async () => readBytes(await left.promise, { what: 'a JSON body', limitBytes: 1_000 });
  await expect(read()).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('connection ended') });
});

test('stops working for a client that disconnects, and does not log a fault', async () => {
  const api = await startTestApi();
  const asked = Promise.withResolvers<IncomingMessage>();
  const origin = createServer((request) => asked.resolve(request)).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const body = JSON.stringify({ url: `http://127.0.0.1:${Object(origin.address()).port}/film.mp4` });
  const socket = connect(api.api.port, '127.0.0.1');
  const head = `POST /library/1/videos/fetch HTTP/1.1\r\nHost: x\r\nAccessKey: ${api.first.libraryKey}\r\n`;
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  const request = await asked.promise;
  const ended = new Promise((resolve) => request.on('error', () => undefined).once('close', resolve));
  socket.resetAndDestroy();
  await ended;
  await api.api.close();
  expect(api.faults).toEqual([]);
  origin.close();
  await api.stop();
});
