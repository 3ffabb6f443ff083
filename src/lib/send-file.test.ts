import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSendFile, type SendFile } from './send-file.ts';

const bytes = randomBytes(3 * 2 ** 20);
let folder: string;
let fd: number;
let server: Server;
let sendFile: SendFile;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'mr-sendfile-'));
  writeFileSync(path.join(folder, 'bytes'), bytes);
  fd = openSync(path.join(folder, 'bytes'), 'r');
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const opened = await openSendFile((error) => {
    throw error;
  });
  if (opened === null) throw new Error('Expected sendfile on this system.');
  sendFile = opened;
});
afterAll(async () => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a connection and returns both ends. `near` belongs to the server. */
async function openPair(): Promise<{ near: Socket; far: Socket }> {
  const accepted = once(server, 'connection');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [near] = (await accepted) as [Socket];
  near.on('error', () => undefined);
  far.on('error', () => undefined);
  return { near, far };
}

test('sends the reported number of bytes from the given offset until the socket is full', async () => {
  const { near, far } = await openPair();
  let at = 1000;
  for (let sent = 1; sent > 0; at += sent) sent = sendFile.send(near, { fd, start: at, sizeBytes: bytes.length - at });
  near.end();
  const parts: Buffer[] = [];
  for await (const part of far) parts.push(part);
  expect(at).toBeGreaterThan(1000);
  expect(Buffer.concat(parts).equals(bytes.subarray(1000, at))).toBe(true);
});

test('sends nothing while earlier bytes wait, at the end of the file or with a wrong descriptor', async () => {
  const { near, far } = await openPair();
  far.pause();
  expect(sendFile.send(near, { fd, start: bytes.length, sizeBytes: 10 })).toBe(0);
  expect(sendFile.send(near, { fd: 999_999, start: 0, sizeBytes: 10 })).toBe(0);
  near.cork();
  near.write('before');
  expect(sendFile.send(near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
  near.uncork();
  while (near.writableLength === 0) near.write(bytes);
  expect(sendFile.send(near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
  far.destroy();
  near.destroy();
});

test('a closed or ended socket accepts nothing, even if its descriptor may be reused', async () => {
  const gone = await openPair();
  gone.near.destroy();
  expect(sendFile.send(gone.near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
  const others = [await openPair(), await openPair(), await openPair()];
  expect(sendFile.send(gone.near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
  for (const { near, far } of others) {
    near.end();
    expect(sendFile.send(near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
    expect(await far.toArray()).toEqual([]);
    near.destroy();
  }
  gone.far.destroy();
});

test('returns 0 without a signal or exception after a client reset the connection', async () => {
  const { near, far } = await openPair();
  far.resetAndDestroy();
  await new Promise((resolve) => near.once('close', resolve));
  expect(sendFile.send(near, { fd, start: 0, sizeBytes: 10 })).toBe(0);
});

test('does not wait for bytes that are not in memory', async () => {
  const cold = path.join(folder, 'cold');
  writeFileSync(cold, bytes);
  execFileSync('sync', [cold]);
  execFileSync('dd', [`if=${cold}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  const coldFd = openSync(cold, 'r');
  const { near, far } = await openPair();
  const part = { fd: coldFd, start: 0, sizeBytes: bytes.length };
  // On an in-memory file system, all bytes are in memory.
  const isCold = !sendFile.isInMemory(part);
  expect(sendFile.send(near, part) > 0).toBe(!isCold);
  expect(sendFile.isInMemory({ ...part, fd })).toBe(true);
  closeSync(coldFd);
  far.destroy();
  near.destroy();
});
