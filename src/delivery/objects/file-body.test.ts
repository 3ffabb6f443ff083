import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sendAtOnce } from './file-body.ts';

const SIZE_BYTES = 20_000;
const SENT_BYTES = SIZE_BYTES - 100;

/** Returns a response whose headers were written. */
async function openResponse(): Promise<ServerResponse> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return response.writeHead(200, { 'content-length': SIZE_BYTES });
}

test.each([
  { flags: 'r', left: 0 },
  { flags: 'w', left: 100 },
])(
  'defers a short remainder that cannot be read immediately to the next read (file opened for $flags)',
  async (wanted) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mr-body-'));
    const name = path.join(folder, 'segment');
    await writeFile(name, Buffer.alloc(SIZE_BYTES));
    const file = await open(name, wanted.flags);
    onTestFinished(async () => {
      await file.close();
      await rm(folder, { recursive: true });
    });
    // Simulates a disk that is damaged from the remainder on: sendfile stops there, and reads of it fail.
    const worn = { isInMemory: () => true, send: () => SENT_BYTES };
    const part = { fd: file.fd, start: 0, end: SIZE_BYTES };
    expect(SIZE_BYTES - sendAtOnce(await openResponse(), part, worn)).toBe(wanted.left);
  },
);
