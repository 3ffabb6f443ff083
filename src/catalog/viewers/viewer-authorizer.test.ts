import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { createOutbound } from '../../lib/outbound/outbound.ts';
import { requireOneHost } from '../shield/host-fault.ts';
import { ViewerAuthorizer } from './viewer-authorizer.ts';
import type { ViewerFacts, ViewerVerdict } from './viewer-verdict.ts';

const outbound = createOutbound({ allow: ['127.0.0.0/8'] });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Question = { viewer: string; libraryId: number };

/** Starts an endpoint, and returns its URL. */
async function startEndpoint(answer: (question: Question, response: ServerResponse) => void): Promise<string> {
  const server = createServer(
    requireOneHost(async (request, response) => answer((await json(request)) as Question, response)),
  ).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const hook = (url: string, failOpen: boolean) =>
  ({ mode: 'hook', url, secret: 's', failOpen, cacheSec: 14_400 }) as const;
const mediaId = newGuid();
const viewerOf = (token: string, changes: Partial<ViewerFacts> = {}): ViewerFacts => ({
  ...{ libraryId: 1, mediaId, collectionId: null, token, address: '192.0.2.1', userAgent: '', referrer: null },
  ...changes,
});
const allow = (response: ServerResponse) => response.end('{"allow": true}');
const secondsOf = (verdict: ViewerVerdict) =>
  verdict.kind === 'unchecked' ? null : Math.round((verdict.untilMs - Date.now()) / 1000);

test.each([400, 401, 403, 404, 413, 422])('status %d refuses one viewer, and no other one', async (status) => {
  const url = await startEndpoint(({ viewer }, response) => {
    if (viewer === 'good') allow(response);
    // An error page may be larger than an answer.
    else response.writeHead(status).end('x'.repeat(100_000));
  });
  for (const failOpen of [false, true]) {
    const authorizer = new ViewerAuthorizer({ outbound });
    const access = hook(url, failOpen);
    for (let viewer = 0; viewer < 5; viewer += 1) {
      expect(await authorizer.judge(access, viewerOf(`${viewer}`))).toMatchObject({ kind: 'denied' });
    }
    const good = await authorizer.judge(access, viewerOf('good'));
    expect([good.kind, good.reason, secondsOf(good)]).toEqual(['allowed', '', 14_400]);
  }
});

test.each([500, 503, 408])('status %d concerns one viewer, whom a library that fails open admits', async (status) => {
  const url = await startEndpoint(({ viewer }, response) => {
    if (viewer === 'good') allow(response);
    else response.writeHead(status).end('x'.repeat(100_000));
  });
  for (const [failOpen, kind] of [
    [false, 'unchecked'],
    [true, 'allowed'],
  ] as const) {
    const authorizer = new ViewerAuthorizer({ outbound });
    const access = hook(url, failOpen);
    for (let viewer = 0; viewer < 5; viewer += 1) {
      const verdict = await authorizer.judge(access, viewerOf(`${viewer}`));
      expect([verdict.kind, secondsOf(verdict)]).toEqual([kind, failOpen ? 300 : null]);
    }
    expect(await authorizer.judge(access, viewerOf('good'))).toMatchObject({ kind: 'allowed', reason: '' });
  }
});

test.each([
  ['a redirect', 302, ''],
  ['too many requests', 429, ''],
  ['an empty answer', 204, undefined],
  ['other text', 200, '<!doctype html>'],
  ['other JSON', 200, '{"allow": "yes"}'],
  ['a large answer', 200, `{"allow": true, "reason": "${'x'.repeat(5_000)}"}`],
])('%s is no verdict, and opens no library', async (_, status, text) => {
  const url = await startEndpoint(({ viewer }, response) => {
    if (viewer === 'good') allow(response);
    else response.writeHead(status, { Location: 'http://192.0.2.1/' }).end(text);
  });
  const authorizer = new ViewerAuthorizer({ outbound });
  for (let viewer = 0; viewer < 5; viewer += 1) {
    expect(await authorizer.judge(hook(url, true), viewerOf(`${viewer}`))).toMatchObject({ kind: 'unchecked' });
  }
  expect(await authorizer.judge(hook(url, true), viewerOf('good'))).toMatchObject({ kind: 'allowed', reason: '' });
});

test('an endpoint that does not respond to one library is asked for another one', async () => {
  const url = await startEndpoint(({ libraryId }, response) => {
    if (libraryId === 1) response.destroy();
    else allow(response);
  });
  const authorizer = new ViewerAuthorizer({ outbound });
  for (let viewer = 0; viewer < 5; viewer += 1) {
    expect(await authorizer.judge(hook(url, false), viewerOf(`${viewer}`))).toMatchObject({ kind: 'unchecked' });
  }
  expect(await authorizer.judge(hook(url, false), viewerOf('a', { libraryId: 2 }))).toMatchObject({ kind: 'allowed' });
});

test('all addresses of one IPv6 network have the questions of one client', async () => {
  const url = await startEndpoint((_, response) => allow(response));
  const authorizer = new ViewerAuthorizer({ outbound });
  const ask = (address: string) => authorizer.judge(hook(url, false), viewerOf('a', { address }));
  const asked = Array.from({ length: 20 }, (_, number) => ask(`2001:db8::${number + 1}`));
  const other = ask('2001:db8:0:1::1');
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
  expect(kinds).toEqual([...Array(16).fill('allowed'), ...Array(4).fill('unchecked')]);
  expect((await other).kind).toBe('allowed');
});

test('simultaneous questions without a response open the circuit together, for viewers of this library', async () => {
  let asked = 0;
  const url = await startEndpoint(({ libraryId }, response) => {
    asked += 1;
    if (libraryId === 2) allow(response);
    else response.destroy();
  });
  const authorizer = new ViewerAuthorizer({ outbound });
  const ask = (token: string, changes: Partial<ViewerFacts> = {}) =>
    authorizer.judge(hook(url, false), viewerOf(token, changes));
  const found = await Promise.all(['a', 'b', 'c', 'd'].map((token) => ask(token)));
  expect(found.map(({ kind }) => kind)).toEqual(Array.from({ length: 4 }, () => 'unchecked'));
  const before = asked;
  expect(await ask('e')).toMatchObject({ kind: 'unchecked' });
  expect(asked).toBe(before);
  expect(await ask('f', { libraryId: 2 })).toMatchObject({ kind: 'allowed' });
});

test('after ten seconds, one question tests whether a dead endpoint responds again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let [asked, isDead] = [0, true];
  const url = await startEndpoint((_, response) => {
    asked += 1;
    if (isDead) response.destroy();
    else allow(response);
  });
  const authorizer = new ViewerAuthorizer({ outbound });
  const ask = async (token: string) => (await authorizer.judge(hook(url, false), viewerOf(token))).kind;
  for (const token of ['a', 'b', 'c', 'd']) expect(await ask(token)).toBe('unchecked');
  expect(asked).toBe(3);
  vi.advanceTimersByTime(10_001);
  expect(await Promise.all([ask('e'), ask('f')])).toEqual(['unchecked', 'unchecked']);
  expect(asked).toBe(4);
  isDead = false;
  vi.advanceTimersByTime(9_000);
  expect(await ask('g')).toBe('unchecked');
  vi.advanceTimersByTime(1_001);
  expect(await ask('h')).toBe('allowed');
  expect(await ask('i')).toBe('allowed');
});

test('a verdict is not used for another page or another collection', async () => {
  const asked: unknown[] = [];
  const url = await startEndpoint((question, response) => {
    asked.push(Object(question).referrer, Object(question).collectionId);
    allow(response);
  });
  const authorizer = new ViewerAuthorizer({ outbound });
  const collectionId = newGuid();
  const places = [{ referrer: 'https://a.example/' }, { referrer: 'https://b.example/' }, { collectionId }];
  for (const place of [...places, ...places]) await authorizer.judge(hook(url, false), viewerOf('a', place));
  expect(asked).toEqual(['https://a.example/', null, 'https://b.example/', null, null, collectionId]);
});
