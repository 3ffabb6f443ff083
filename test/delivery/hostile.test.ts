import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readWafSettings } from '../../src/catalog/libraries/library-settings.ts';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { openFirewall } from '../../src/catalog/shield/firewall/open-firewall.ts';
import { OWN_RULES } from '../../src/catalog/shield/firewall/own-rules.ts';
import { createShieldSettingsStore } from '../../src/catalog/shield/shield-settings-store.ts';
import { readRuleTexts } from '../../src/compose/firewall.ts';
import { endLingering, LINGER_MS } from '../../src/lib/end-lingering.ts';
import { ATTACKS, BROWSER, encoded, get, SCANS } from '../support/hostile-requests.ts';
import { createGrowingFixture, type GrowingFixture } from './growing-video.ts';
import type { RenditionKey } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const sockets: Socket[] = [];

let videos: GrowingFixture;
let key: RenditionKey;

beforeAll(async () => {
  videos = await createGrowingFixture();
  key = await videos.addVideo();
  for (const segment of [0, 1, 2]) await videos.publish(key, segment);
  const blocking = { ...readWafSettings({}), blocks: true };
  await createShieldSettingsStore(videos.database.db).changeUnzoned(() => blocking);
  await videos.database.db
    .updateTable('pull_zone')
    .set({ settings: JSON.stringify({ waf: { blocks: true } }) })
    .where('library_id', '=', videos.libraryId)
    .execute();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await videos.closeEdges();
  await videos.database.db.deleteFrom('shield_event').execute();
});
afterAll(() => videos.close());

/** Sends bytes unchanged and returns the response; `rule` is the rule that it names. */
async function send(edge: TestEdge, text: string) {
  const socket = connect(edge.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.write(text);
  await once(socket, 'close');
  const answer = Buffer.concat(parts).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  return { status, rule: /^x-millrace-rule: (\S+)/im.exec(answer)?.[1] ?? null, answer };
}

/** Closes the edge, which writes its records, and returns all log entries of every zone. */
async function closeAndRead() {
  await videos.closeEdges();
  const { db } = videos.database;
  const store = createShieldEventStore(db);
  const zones = await db.selectFrom('pull_zone').select('id').execute();
  const read = (zoneId: number) => store.read({ zoneId, day: dayOf(Date.now()), afterSeq: 0 }, 1_000);
  const events = await Promise.all([0, ...zones.map(({ id }) => id)].map(read));
  return events.flat().toSorted((one, other) => one.seq - other.seq);
}

const UNREADABLE: readonly (readonly [string, string, number, string])[] = [
  ['no HTTP', 'no http at all\r\n\r\n', 400, '10180'],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, '10180'],
  ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n', 400, '10180'],
  ['a long header', get('/', `X-Long: ${'a'.repeat(9_000)}`), 431, '10181'],
  ['many headers', get('/', ...Array.from({ length: 900 }, (_, index) => `X-${index}: value`)), 431, '10181'],
  ['two lengths', get('/', 'Content-Length: 5', 'Content-Length: 6'), 400, '10183'],
  ['a length and chunks', get('/', 'Content-Length: 5', 'Transfer-Encoding: chunked'), 400, '10183'],
  ['two encodings', get('/', 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'), 400, '10183'],
  ['two hosts', get('/', 'Host: other'), 400, '10184'],
];

describe.each([
  ['the core rule set', readRuleTexts],
  ['the built-in rule set', async () => OWN_RULES],
])('hostile requests, by %s', (_, readTexts) => {
  test('hostile requests are refused or harmless, and each is logged once under the rule in its response', async () => {
    const firewall = openFirewall(readTexts, (error) => {
      throw error;
    });
    const edge = await videos.open({ firewall });
    const expected: RegExp[] = [];
    for (const [name, text, rule] of ATTACKS) {
      const { status, rule: named } = await send(edge, text);
      expect([name, status, named]).toEqual([name, 403, expect.stringMatching(rule)]);
      expected.push(rule);
    }
    for (const [name, text, rule] of SCANS) {
      expect([name, (await send(edge, text)).status]).toEqual([name, 404]);
      expected.push(rule);
    }
    for (const [name, text, status, rule] of UNREADABLE) {
      const { status: received, rule: named } = await send(edge, text);
      expect([name, received, named]).toEqual([name, status, rule]);
      expected.push(new RegExp(`^${rule}$`));
    }
    const events = await closeAndRead();
    expect(events.map(({ ruleId }) => ruleId)).toEqual(expected.map((rule) => expect.stringMatching(rule)));
    expect(events.map(({ status }) => status)).toEqual(
      expected.map((rule) => (rule.source.startsWith('^913') ? 'Logged' : 'Blocked')),
    );
  });
});

test('a second request smuggled in a body gets no response, and the connection closes', async () => {
  const edge = await videos.open();
  const hidden = get('/.env');
  const bodies = [
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n0\r\n\r\n${hidden}`,
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n${hidden}`,
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 0\r\n\r\n${hidden}`,
    `POST / HTTP/1.1\nHost: a\nContent-Length: 0\n\n${hidden}`,
  ];
  for (const text of bodies) {
    const { answer } = await send(edge, text);
    expect(answer.match(/^HTTP\/1\.1 4\d\d/gm)).toHaveLength(1);
  }
  const rules = (await closeAndRead()).map(({ ruleId }) => ruleId);
  expect([rules.length, rules.filter((rule) => !/^1018[03]$/.test(rule))]).toEqual([bodies.length, []]);
});

test('a client that sends a head or a body too slowly, or does not read, is cut off and logged once', async () => {
  const edge = await videos.open({ limits: { headMs: 500, idleMs: 4_000 } });
  const slow = ['GET / HTTP/1.1\r\nHost: ', 'POST /beacons HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx'];
  for (const text of slow) {
    const { status, rule } = await send(edge, text);
    expect([status, rule]).toEqual([408, '10182']);
  }
  const { pathname } = new URL(videos.segmentOf(edge, key, 0));
  const reader = connect(edge.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(reader.pause());
  // Requests more data than the kernel's socket buffers hold.
  reader.write(`GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(60));
  const store = createShieldEventStore(videos.database.db);
  const read = () => store.read({ zoneId: 0, day: dayOf(Date.now()), afterSeq: 0 }, 100);
  await expect
    .poll(async () => (await read()).map(({ ruleId }) => ruleId), { timeout: 30_000 })
    .toEqual(['10182', '10182', '10186']);
});

test('a tunnel that is reset, or whose client keeps its side open, affects no other connection', async () => {
  const edge = await videos.open();
  const tunnel = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';
  for (let count = 0; count < 5; count += 1) {
    const socket = connect(edge.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(tunnel, () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  const halfOpen = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  sockets.push(halfOpen.resume());
  halfOpen.write(tunnel);
  await once(halfOpen, 'end');
  // The edge does not wait for the client to close: later writes cause a reset.
  const reset = new Promise((resolve) => halfOpen.once('close', resolve));
  const writing = setInterval(() => halfOpen.write('x'), 200);
  await reset;
  clearInterval(writing);
  expect((await send(edge, get('/none'))).status).toBe(404);
});

/**
 * Sends, and continues sending after the response. `isLate` if this took so long that the linger time may have expired.
 */
async function sendOn(port: number, text: string) {
  const sinceMs = performance.now();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const faults: string[] = [];
  socket.on('error', (error: NodeJS.ErrnoException) => faults.push(error.code ?? error.message));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ended = new Promise((resolve) => socket.resume().once('end', resolve));
  socket.write(text);
  await Promise.race([ended, closed]);
  // Each part is sent separately, because the second would meet the reset that the first caused.
  for (const part of ['more', 'and more'])
    await new Promise<void>((resolve) => socket.write(part, () => setTimeout(resolve, 50)));
  socket.end();
  await closed;
  return { faults, isLate: performance.now() - sinceMs > LINGER_MS / 2 };
}

const MAX_TRIES = 5;

/** Like `sendOn`, but retries if it was late and failed, because a late failure proves nothing. */
async function sendOnInTime(port: number, text: string) {
  for (let tries = 1; ; tries += 1) {
    const { faults, isLate } = await sendOn(port, text);
    if (faults.length === 0 || !isLate || tries === MAX_TRIES) return { faults, tries };
  }
}

test('a client that keeps sending while it is refused can read the response without a reset', async () => {
  const edge = await videos.open();
  const { faults, tries } = await sendOnInTime(edge.port, 'no http at all\r\n\r\n');
  expect(faults).toEqual([]);
  expect((await closeAndRead()).map(({ ruleId }) => ruleId)).toEqual(Array.from({ length: tries }, () => '10180'));
});

test("the edge reads a client's remaining data even if the client leaves responses unread", async () => {
  const readToEnd: boolean[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('close', () => readToEnd.push(socket.readableEnded));
    socket.once('data', () => {
      socket.pause();
      endLingering(socket, 'no');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (let tries = 1; tries <= MAX_TRIES && !readToEnd.includes(true); tries += 1) {
    await sendOn(port, 'x');
    await expect.poll(() => readToEnd.length, { timeout: 30_000 }).toBe(tries);
  }
  server.close();
  expect(readToEnd).toContain(true);
});

test('logs refused connections above the limit for each client', async () => {
  const edge = await videos.open({ limits: { connectionsPerClient: 1 } });
  const held = connect(edge.port, '127.0.0.1');
  sockets.push(held);
  held.write('GET /robots.txt HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(held, 'data');
  expect((await send(edge, get('/'))).status).toBe(0);
  expect((await closeAndRead()).map(({ ruleId, status }) => [ruleId, status])).toEqual([['10150', 'Blocked']]);
});

test('a complete player session leaves no event, even with every blocking rule enabled', async () => {
  const edge = await videos.open();
  const folder = `/vz-${videos.libraryId}/${key.mediaId}`;
  const page = `/embed/${videos.libraryId}/${key.mediaId}`;
  const statuses = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${edge.base}${path}`, { ...init, headers: { 'user-agent': BROWSER.slice(12), ...init.headers } }))
      .status;
  const segment = `${folder}/r/${key.renditionId}/0.m4s`;
  const seen = [
    await statuses(`${page}?autoplay=false&t=1m2s&captions=en-auto&preload=true&muted=true`),
    await statuses(`${page}/state`),
    await statuses(`${folder}/playlist.m3u8?CMCD=${encoded('bl=1000,sid="a-b",nor="..%2F1.m4s"')}&ver=2`),
    await statuses(`${folder}/360p/video.m3u8`),
    await statuses(segment, { headers: { range: 'bytes=0-99' } }),
    await statuses(`${segment}?x=%3Cscript%3E`, { headers: { range: 'bytes=0-1,5-9' } }),
    await statuses(segment, { method: 'HEAD' }),
    await statuses(segment, { method: 'OPTIONS', headers: { 'access-control-request-headers': 'cmcd-session' } }),
    await statuses('/beacons', { method: 'POST', body: '{"not":"a beacon"}' }),
  ];
  expect(seen.filter((status) => status === 403 || status >= 500)).toEqual([]);
  expect(seen.slice(0, 5)).toEqual([200, 200, 200, 200, 206]);
  expect(seen.at(-1)).toBe(204);
  // Paths that browsers request in addition to the page.
  for (const path of ['/favicon.ico', '/robots.txt', '/apple-touch-icon.png', '/']) await statuses(path);
  expect(await closeAndRead()).toEqual([]);
});
