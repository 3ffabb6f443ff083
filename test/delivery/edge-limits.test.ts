import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createPublicationStore } from '../../src/catalog/publications/publication-store.ts';
import type { EdgeStorage } from '../../src/delivery/edge-deps.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createEdgeStorage } from './edge-storage.ts';
import {
  createGrowingFixture,
  type GrowingFixture,
  plannedSegments,
  SEGMENT_BYTES,
  statusOf,
} from './growing-video.ts';
import type { RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

let videos: GrowingFixture;
let key: RenditionKey;
const sockets: Socket[] = [];

beforeAll(async () => {
  videos = await createGrowingFixture();
  key = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(key, segment);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await videos.closeEdges();
});
afterAll(() => videos.close());

/** Opens a connection that writes immediately and reads only on command. */
function open({ port }: TestEdge, text: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket.pause());
  socket.write(text);
  return socket;
}

function head(edge: TestEdge, segment: number, ...lines: string[]): string {
  const { pathname } = new URL(videos.segmentOf(edge, key, segment));
  return [`GET ${pathname} HTTP/1.1`, 'Host: edge', ...lines, '', ''].join('\r\n');
}

/** Returns everything received until the connection ends. */
async function readAll(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(parts).toString('latin1');
}

/** Returns a store without local files that counts its reads. */
function farStorage(): { storage: EdgeStorage; reads: string[]; streams: number } {
  const below = createEdgeStorage(videos.fixture.folder, false);
  const far = {
    reads: [] as string[],
    streams: 0,
    storage: {
      ...below,
      readBytes: (...args: Parameters<EdgeStorage['readBytes']>) => {
        far.reads.push(args[0]);
        return below.readBytes(...args);
      },
      read: (...args: Parameters<EdgeStorage['read']>) => {
        far.streams += 1;
        return below.read(...args);
      },
    },
  };
  return far;
}

test('rejects a request with two Host headers and closes its connection', async () => {
  const edge = await videos.open();
  const answer = await readAll(open(edge, head(edge, 0, 'Host: other') + head(edge, 0)));
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1);
});

test('If-Match matches only the current version', async () => {
  const edge = await videos.open();
  const ask = (tag: string) =>
    fetch(videos.segmentOf(edge, key, 0), { headers: { 'if-match': tag, range: 'bytes=0-9' } });
  const etag = (await fetch(videos.segmentOf(edge, key, 0), { method: 'HEAD' })).headers.get('etag') ?? '';
  const statuses = [etag, `"x", ${etag}`, '*', '"x"', `W/${etag}`].map(async (tag) => (await ask(tag)).status);
  expect(await Promise.all(statuses)).toEqual([206, 206, 206, 412, 412]);
});

test('segments and stored files have a Last-Modified date for conditional requests', async () => {
  const edge = await videos.open();
  const file = await videos.fixture.storage.write(`${key.libraryId}/${key.mediaId}/en.vtt`, Buffer.from('WEBVTT'));
  const captions = JSON.stringify([{ srclang: 'en', label: 'English', version: 1, key: file }]);
  await videos.database.db.updateTable('media').set({ captions }).where('id', '=', key.mediaId).execute();
  for (const address of [videos.segmentOf(edge, key, 0), videos.address(edge, key, 'captions/en.vtt')]) {
    await expect.poll(() => statusOf(address), { timeout: 10_000 }).toBe(200);
    const date = (await fetch(address)).headers.get('last-modified') ?? '';
    const before = new Date(Date.parse(date) - 1_000).toUTCString();
    const ask = (name: string, value: string) => statusOf(address, { [name]: value });
    expect([
      await ask('if-unmodified-since', date),
      await ask('if-unmodified-since', before),
      await ask('if-modified-since', before),
      await ask('if-modified-since', date),
    ]).toEqual([200, 412, 200, 304]);
  }
});

test('a preflight allows the requested headers, and every page may measure timing and embed', async () => {
  const edge = await videos.open();
  const requested = 'cmcd-request, cmcd-object, x-own';
  const preflight = await fetch(videos.segmentOf(edge, key, 0), {
    method: 'OPTIONS',
    headers: { 'access-control-request-headers': requested, 'access-control-request-method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toBe(requested);
  const { headers } = await fetch(videos.segmentOf(edge, key, 0));
  expect([headers.get('timing-allow-origin'), headers.get('cross-origin-resource-policy')]).toEqual([
    '*',
    'cross-origin',
  ]);
});

test('times out a request head that arrives too slowly', async () => {
  const edge = await videos.open({ limits: { headMs: 500 } });
  const startedMs = performance.now();
  expect(await readAll(open(edge, 'GET / HTTP/1.1\r\nHost: '))).toMatch(/^HTTP\/1.1 408 /);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test('limits the number of connections per client', async () => {
  const edge = await videos.open({ limits: { connectionsPerClient: 3 } });
  const held = [0, 1, 2].map(() => open(edge, head(edge, 0)));
  for (const socket of held) await once(socket, 'readable');
  expect(await readAll(open(edge, head(edge, 0)))).toBe('');
  held[0]?.destroy();
  await expect
    .poll(() =>
      fetch(videos.segmentOf(edge, key, 0)).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});

test('clients that do not read use bounded memory and no connection to the store', async () => {
  const far = farStorage();
  const limits = { lentBytes: 10 * SEGMENT_BYTES, lentBytesPerClient: 2 * SEGMENT_BYTES, idleMs: 4_000 };
  const edge = await videos.open({ storage: far.storage, limits });
  for (const segment of [0, 1]) open(edge, head(edge, segment).repeat(20));
  await expect.poll(() => far.reads.length).toBe(2);
  // Until the kernel's buffers are also full, one response may end before the next begins.
  await expect.poll(() => statusOf(videos.segmentOf(edge, key, 2)), { timeout: 4_000 }).toBe(503);
  // Nothing moves on these connections, so they are closed and release their resources.
  await expect.poll(() => statusOf(videos.segmentOf(edge, key, 2)), { timeout: 20_000 }).toBe(200);
  expect(far.streams).toBe(0);
});

test('reads a cold segment once for all clients, without waiting for a slow reader', async () => {
  const far = farStorage();
  const edge = await videos.open({ storage: far.storage });
  const slow = open(edge, head(edge, 0).repeat(30));
  const sizes = Array.from({ length: 100 }, async () => {
    return (await (await fetch(videos.segmentOf(edge, key, 0))).arrayBuffer()).byteLength;
  });
  expect(new Set(await Promise.all(sizes))).toEqual(new Set([SEGMENT_BYTES]));
  expect(far.reads).toHaveLength(1);
  slow.destroy();
});

/** Requests of different clients, as named by a trusted proxy. */
const from = (client: number) => ({ 'x-forwarded-for': `192.0.2.${client}` });
const BEHIND = { trustedProxies: ['127.0.0.1'] };

test('limits concurrent look-ups per client without affecting other clients', async () => {
  const publications = createPublicationStore(videos.database.db);
  const gate = Promise.withResolvers<void>();
  const unknown = new Set<string>();
  const load: typeof publications.load = async (...args) => {
    if (unknown.has(args[0].mediaId)) await gate.promise;
    return publications.load(...args);
  };
  const edge = await videos.open({
    ...BEHIND,
    publications: { ...publications, load },
    limits: { lookUpsPerClient: 1 },
  });
  expect(await statusOf(videos.segmentOf(edge, key, 0), from(1))).toBe(200);
  const look = (client: number) => {
    const mediaId = newGuid();
    unknown.add(mediaId);
    return statusOf(videos.address(edge, { ...key, mediaId }, 'playlist.m3u8'), from(client));
  };
  const [mine, others] = [[look(1), look(1)], look(2)];
  expect(await Promise.race(mine)).toBe(503);
  gate.resolve();
  expect([new Set(await Promise.all(mine)), await others]).toEqual([new Set([503, 404]), 404]);
});

test('limits responses per client that wait for segments without affecting other clients', async () => {
  const edge = await videos.open({ ...BEHIND, limits: { waitsPerClient: 1, segmentWaitMs: 60_000 } });
  const growing = await videos.addVideo(plannedSegments);
  await videos.publish(growing, 0);
  await expect.poll(() => statusOf(videos.segmentOf(edge, growing, 0), from(1))).toBe(200);
  const ask = (client: number) => statusOf(videos.segmentOf(edge, growing, 2), from(client));
  const [mine, others] = [[ask(1), ask(1)], ask(2)];
  expect(await Promise.race(mine)).toBe(503);
  await videos.publish(growing, 1);
  await videos.publish(growing, 2);
  expect([new Set(await Promise.all(mine)), await others]).toEqual([new Set([503, 200]), 200]);
});
