import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Publication } from '../../src/catalog/publications/publication.ts';
import { parsePullZoneName } from '../../src/catalog/pull-zones/pull-zone-name.ts';
import { DEFAULT_LIMITS } from '../../src/delivery/edge-deps.ts';
import { headersOfKnown, KnownSegments } from '../../src/delivery/hls/known-segments.ts';
import { ShortWay } from '../../src/delivery/http/short-way.ts';
import { ObjectSender } from '../../src/delivery/objects/object-sender.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { openSendFile } from '../../src/lib/send-file.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { createFolderStorage } from './folder-storage.ts';

const SIZES = { small: 30_000, large: 6_000_001 };
type Name = keyof typeof SIZES;
const bodies: Record<Name, Buffer> = { small: randomBytes(SIZES.small), large: randomBytes(SIZES.large) };
/** What `node:http` answers to all that is no known segment. */
const OTHER = 'something else';

let folder: string;
let server: Server;
let shortWay: ShortWay;
let objects: ObjectSender;
/** Requests that `node:http` has read. */
let read: string[];
let isCurrent: boolean;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mr-short-'));
  const storage = createFolderStorage(folder);
  const sendFile = await openSendFile((error) => {
    throw error;
  });
  objects = new ObjectSender({ storage, sendFile }, DEFAULT_LIMITS);
  [read, isCurrent] = [[], true];
  const known = new KnownSegments({ isCurrent: () => isCurrent });
  shortWay = new ShortWay({ known, objects, keepAliveSec: 5, log: { warn: fail, error: fail } });
  server = createServer({ keepAliveTimeout: 5_000, noDelay: true }, async (request, response) => {
    read.push(`${request.method} ${request.url}`);
    shortWay.begin(request, response);
    const found = known.find(request);
    if (found === null) {
      request.resume();
      response.writeHead(200, { 'Content-Length': OTHER.length }).end(OTHER);
      return;
    }
    shortWay.learn(request);
    const whole = { start: 0, end: found.window.sizeBytes };
    await objects.send(response, found.window, whole, () => response.writeHead(200, headersOfKnown(found)));
  });
  shortWay.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const name of ['small', 'large'] as const) keep(known, await storage.write(name, bodies[name]), name);
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  objects.close();
  await rm(folder, { recursive: true });
});

function fail(fields: object, message: string): void {
  throw new Error(`${message} ${JSON.stringify(fields)}`);
}

const publications: Publication[] = [];

function keep(known: KnownSegments, key: StorageKey, name: Name): void {
  const renditionId = newGuid();
  const publication = { renditions: [{ id: renditionId, isOnDemand: false }] } as unknown as Publication;
  publications.push(publication);
  const pullZone = parsePullZoneName('vz-1');
  if (pullZone === null) throw new Error('Expected a well-formed name.');
  const file = { kind: 'segment', renditionId, segment: 0, cover: { kind: 'clear' } } as const;
  const target = { kind: 'media', pullZone, token: null, mediaId: newGuid(), file } as const;
  const window = { key, version: '1', start: 0, sizeBytes: SIZES[name] };
  const answer = { kind: 'object', window, contentType: 'video/mp4', cacheControl: 'public', etag: '"x"' } as const;
  const request = { url: `/${name}`, headers: { host: 'edge' } } as Parameters<KnownSegments['keep']>[0];
  known.keep(request, target, { publication, answer });
}

const LINES = 'Host: edge\r\nAccept: */*\r\n\r\n';
const ask = (url: string, lines = LINES, method = 'GET') => `${method} ${url} HTTP/1.1\r\n${lines}`;

/** A connection as a player keeps it; `next` reads one answer. */
function open() {
  const { port } = server.address() as AddressInfo;
  const socket: Socket = connect(port, '127.0.0.1');
  let held = Buffer.alloc(0);
  let isEnded = false;
  socket.on('data', (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
  });
  socket.on('close', () => {
    isEnded = true;
  });
  async function next(): Promise<{ head: string; body: Buffer }> {
    for (;;) {
      const at = held.indexOf('\r\n\r\n');
      const head = held.subarray(0, Math.max(0, at)).toString();
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (at >= 0 && held.length >= at + 4 + length) {
        const body = Buffer.from(held.subarray(at + 4, at + 4 + length));
        held = held.subarray(at + 4 + length);
        return { head: head.replace(/Date: .*/, 'Date'), body };
      }
      if (isEnded) throw new Error(`Expected an answer, the connection ended after ${held.length} bytes.`);
      await sleep(5);
    }
  }
  return { socket, next, rest: () => held };
}

/** A connection on which the way of the small segment is known. */
async function openKnown() {
  const line = open();
  line.socket.write(ask('/small'));
  const first = await line.next();
  line.socket.write(ask('/large'));
  await line.next();
  expect(read).toHaveLength(2);
  return { ...line, first };
}

test('a request like one before is answered without the parser, byte for byte as before', async () => {
  const { socket, next, first } = await openKnown();
  for (const name of ['small', 'large', 'small', 'large'] as const) {
    socket.write(ask(`/${name}`));
    const { head, body } = await next();
    expect(body.equals(bodies[name])).toBe(true);
    if (name === 'small') expect(head).toBe(first.head);
  }
  expect(read).toHaveLength(2);
  socket.destroy();
});

test.each([
  { what: 'another address', request: ask('/other') },
  { what: 'other header lines', request: ask('/small', 'Host: edge\r\nAccept: video/*\r\n\r\n') },
  { what: 'another host', request: ask('/small', 'Host: other\r\nAccept: */*\r\n\r\n') },
  { what: 'a range', request: ask('/small', `Range: bytes=0-1\r\n${LINES}`) },
  { what: 'another method', request: ask('/small', LINES, 'HEAD') },
])('$what goes the ordinary way, on the same connection', async ({ request }) => {
  const { socket } = await openKnown();
  socket.write(request);
  await expect.poll(() => read.length).toBe(3);
  socket.destroy();
});

test('a publication that is over sends its segments the ordinary way', async () => {
  const { socket, next } = await openKnown();
  isCurrent = false;
  socket.write(ask('/small'));
  expect((await next()).body.toString()).toBe(OTHER);
  socket.destroy();
});

test('what lies in the body of another request is no request, then or later', async () => {
  const { socket, next, rest } = await openKnown();
  const inner = ask('/small');
  socket.write(ask('/other', `Host: edge\r\nContent-Length: ${inner.length}\r\n\r\n`));
  expect((await next()).body.toString()).toBe(OTHER);
  socket.write(inner);
  socket.write(ask('/last', LINES));
  expect((await next()).body.toString()).toBe(OTHER);
  expect(read.slice(2)).toEqual(['GET /other', 'GET /last']);
  expect(rest()).toHaveLength(0);
  socket.destroy();
});

test.each(['Content-Length: 46', 'Transfer-Encoding: chunked', 'Content-Length: 0'])(
  'header lines with %s are never known, though their request is for a known segment',
  async (announcement) => {
    const lines = `Host: edge\r\n${announcement}\r\n\r\n`;
    const teacher = await openKnown();
    teacher.socket.write(ask('/small', lines));
    await expect.poll(() => read.length).toBe(3);
    const { socket, next } = open();
    socket.write(ask('/small'));
    await next();
    socket.write(ask('/small', lines));
    await expect.poll(() => read.length).toBe(5);
    socket.destroy();
    teacher.socket.destroy();
  },
);

test('a request that comes in two pieces, of which the second looks like a known one, is one request', async () => {
  const { socket, next } = await openKnown();
  socket.write('GET /other HTTP/1.1\r\nX-Note: ');
  await sleep(50);
  socket.write(ask('/small'));
  expect((await next()).body.toString()).toBe(OTHER);
  expect(read.slice(2)).toEqual(['GET /other']);
  socket.destroy();
});

test('requests that come together are answered in their order', async () => {
  const { socket, next } = await openKnown();
  socket.write(ask('/small') + ask('/other') + ask('/small'));
  expect((await next()).body.equals(bodies.small)).toBe(true);
  expect((await next()).body.toString()).toBe(OTHER);
  expect((await next()).body.equals(bodies.small)).toBe(true);
  socket.destroy();
});

test('a viewer who reads slowly and asks on meanwhile gets all in order', async () => {
  const { socket, next } = await openKnown();
  socket.pause();
  socket.write(ask('/large'));
  await sleep(100);
  socket.write(ask('/small'));
  await sleep(100);
  socket.resume();
  expect((await next()).body.equals(bodies.large)).toBe(true);
  expect((await next()).body.equals(bodies.small)).toBe(true);
  expect(read).toHaveLength(2);
  socket.destroy();
});

test('closing waits for the answer that a slow viewer still reads, lets nobody in and takes no more the short way', async () => {
  const { socket, next } = await openKnown();
  const { port } = server.address() as AddressInfo;
  socket.pause();
  socket.write(ask('/large'));
  await sleep(100);
  const closed = shortWay.close(10_000);
  expect(await Promise.race([closed.then(() => 'closed'), sleep(50).then(() => 'waits')])).toBe('waits');
  await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  socket.resume();
  expect((await next()).body.equals(bodies.large)).toBe(true);
  await closed;
  socket.write(ask('/small'));
  await next();
  expect(read).toHaveLength(3);
  socket.destroy();
});

test('a viewer who leaves in the midst of an answer leaves nothing behind', async () => {
  const { socket } = await openKnown();
  socket.pause();
  socket.write(ask('/large'));
  await sleep(100);
  socket.destroy();
  await once(socket, 'close');
  await shortWay.close(10_000);
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
});
