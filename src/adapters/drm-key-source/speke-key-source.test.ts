import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerKeys, type KeyScript, type KeyServer, keyOf, startKeyServer } from '../../../test/support/key-server.ts';
import type { RefusalKind } from '../../lib/error-catalogue.ts';
import { createOutbound, type Outbound } from '../../lib/outbound/outbound.ts';
import { KEY_GROUPS, newContentKeys } from '../../media/drm/keys/content-keys.ts';
import { parseCpixAnswer, writeCpixRequest } from '../../media/drm/keys/cpix.ts';
import type { KeyRequest } from '../../ports/drm-key-source.ts';
import { createSpekeKeySource, type SpekeOptions } from './speke-key-source.ts';

let server: KeyServer;
let outbound: Outbound;

beforeAll(async () => {
  server = await startKeyServer();
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
});
afterAll(async () => {
  await outbound.close();
  await server.stop();
});

const request: KeyRequest = {
  contentId: '0195a1c2-0000-7000-8000-000000000001',
  keys: newContentKeys('cbcs'),
  systems: ['widevine', 'playReady', 'fairPlay'],
};

function ask(script: KeyScript, change: Partial<SpekeOptions> = {}) {
  server.script(script);
  const source = createSpekeKeySource({
    url: server.url,
    authorization: 'Bearer of-millrace',
    systems: request.systems,
    outbound,
    cpix: { write: writeCpixRequest, parse: parseCpixAnswer },
    timeoutMs: 30_000,
    ...change,
  });
  return source.fetchKeys(request, AbortSignal.timeout(60_000));
}

const say =
  (status: number, body: string): KeyScript =>
  (_request, response) => {
    response.writeHead(status).end(body);
  };

test('gets keys and per-system data from the key server', async () => {
  const { keys, systems } = await ask(answerKeys);
  for (const group of KEY_GROUPS) {
    const { kid, key } = keys.groups[group];
    expect(kid).toBe(request.keys.groups[group].kid);
    expect(key.equals(keyOf(kid))).toBe(true);
  }
  expect(systems).toHaveLength(9);
  expect(systems.filter(({ pssh }) => pssh !== null)).toHaveLength(6);
  expect(systems.filter(({ hlsMedia }) => hlsMedia?.startsWith('#EXT-X-KEY:'))).toHaveLength(3);
  expect(server.seen.at(-1)?.headers).toMatchObject({
    'content-type': 'application/xml',
    'x-speke-version': '2.0',
    authorization: 'Bearer of-millrace',
  });
});

describe('a key server that', () => {
  const breakOff: KeyScript = (_request, response) => response.writeHead(200).write('<', () => response.destroy());
  const omitFairPlay: KeyScript = (incoming, response, document) =>
    answerKeys(
      incoming,
      response,
      document.replaceAll(/<cpix:DRMSystem kid="[^"]*" systemId="94ce[\s\S]*?<\/cpix:DRMSystem>/g, ''),
    );
  const cases: { does: string; script: KeyScript; kind: RefusalKind; says: string }[] = [
    { does: 'drops the connection', script: breakOff, kind: 'unavailable', says: 'returned no keys' },
    { does: 'fails', script: say(500, 'out of order'), kind: 'unavailable', says: 'HTTP 500 "out of order"' },
    { does: 'is overloaded', script: say(429, ''), kind: 'unavailable', says: 'HTTP 429' },
    { does: 'rejects the credentials', script: say(403, 'who?'), kind: 'unprocessable', says: 'AUTHORIZATION' },
    { does: 'refuses', script: say(422, 'no fairplay'), kind: 'unprocessable', says: 'HTTP 422 "no fairplay"' },
    { does: 'redirects', script: say(302, ''), kind: 'unprocessable', says: 'HTTP 302' },
    { does: 'responds without XML', script: say(200, '{"keys":[]}'), kind: 'unprocessable', says: 'is unusable' },
    {
      does: 'responds without keys',
      script: say(200, '<CPIX xmlns="urn:dashif:org:cpix"/>'),
      kind: 'unprocessable',
      says: 'got none',
    },
    {
      does: 'responds with too many bytes',
      script: say(200, ' '.repeat(2 ** 20 + 1)),
      kind: 'unavailable',
      says: 'larger than',
    },
    { does: 'omits a DRM system', script: omitFairPlay, kind: 'unprocessable', says: 'nothing for fairPlay' },
  ];
  test.each(cases)(
    'a key server that $does causes a `$kind` error that contains the reason',
    async ({ script, kind, says }) => {
      await expect(ask(script)).rejects.toMatchObject({ kind, message: expect.stringContaining(says) });
    },
  );

  test('is too slow causes an `unavailable` error that contains the time limit', async () => {
    const refusal = { kind: 'unavailable', message: expect.stringContaining('within 0.5 s') };
    await expect(ask(() => undefined, { timeoutMs: 500 })).rejects.toMatchObject(refusal);
  });

  test('is unreachable, or in a private network that is not allowed, causes an error', async () => {
    const closed = ask(answerKeys, { url: 'http://127.0.0.1:1/speke' });
    await expect(closed).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('refused') });
    const guarded = createOutbound({ allow: [] });
    await expect(ask(answerKeys, { outbound: guarded })).rejects.toMatchObject({ kind: 'unavailable' });
    await guarded.close();
  });
});
