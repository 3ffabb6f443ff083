import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { readBytes } from '../../src/api/read-bytes.ts';

const left = Promise.withResolvers<IncomingMessage>();
const server = createServer((request) => {
  request.once('close', () => left.resolve(request));
  caller.resetAndDestroy();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const caller = connect(Object(server.address()).port, '127.0.0.1');
afterAll(() => server.close());

test('a body whose caller left before it was read is refused, not waited for', async () => {
  caller.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  const read = async () => readBytes(await left.promise, { what: 'a JSON body', limitBytes: 1_000 });
  await expect(read()).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('connection ended') });
});
