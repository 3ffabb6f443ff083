import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEmbedTokenValid } from '../libraries/embed-token.ts';
import { readAddress, type SigningZone } from './url-token.ts';
import { signFolder, verifyUrlToken } from './verify-url-token.ts';

type SignVector = {
  name: string;
  scheme: string;
  key: string;
  expires: number;
  token: string;
  url?: string;
  path?: string;
  userIp?: string;
  videoId?: string;
  input?: { userIp: string; countriesAllowed: string };
};
type VerifyVector = {
  name: string;
  zone: { keys: string[]; includeIp?: boolean };
  request: { url: string; ip: string; country: string; now: number };
  expect: string;
};

const vectors: { sign: SignVector[]; verify: VerifyVector[] } = JSON.parse(
  readFileSync(new URL('../../../test/delivery/token-vectors.json', import.meta.url), 'utf8'),
);

function judge(url: string, zone: SigningZone, bearer: { address: string; country: string; nowMs: number }): string {
  const { pathname, search } = splitUrl(url);
  const verdict = verifyUrlToken(readAddress(pathname + search, zone.prefix), zone, bearer);
  if ('fault' in verdict) return verdict.fault;
  return verdict.token.limitKBps === null ? 'ok' : `ok:limit=${verdict.token.limitKBps}`;
}

/** As sent: the URL class would resolve dot segments. */
function splitUrl(url: string): { pathname: string; search: string } {
  const target = url.replace(/^https?:\/\/[^/]+/, '');
  const mark = target.indexOf('?');
  return mark === -1
    ? { pathname: target, search: '' }
    : { pathname: target.slice(0, mark), search: target.slice(mark) };
}

describe('published vectors', () => {
  const urls = vectors.sign.filter(({ scheme }) => !scheme.startsWith('embed'));
  test.each(urls)('accepts $scheme $name until it expires, and rejects it with a different key', (vector) => {
    const { key, expires, token, input } = vector;
    const url = vector.url ?? `https://a${vector.path}?token=${token}&expires=${expires}`;
    const address = input?.userIp || vector.userIp || '9.9.9.9';
    const bearer = { address, country: input?.countriesAllowed.split(',')[0] || 'DE', nowMs: expires * 1000 };
    const zone = { keys: [key], holdsAddress: false, prefix: null };
    expect(judge(url, zone, bearer)).toMatch(/^ok/);
    expect(judge(url, zone, { ...bearer, nowMs: (expires + 1) * 1000 })).toBe('expired');
    expect(judge(url, { ...zone, keys: ['another key'] }, bearer)).toBe('signature');
  });

  test.each(vectors.sign.filter(({ scheme }) => scheme.startsWith('embed')))(
    'accepts an embed token: $scheme $name',
    (vector) => {
      const requested = { mediaId: vector.videoId ?? '', keys: [vector.key] };
      const shown = { token: vector.token, expiresSec: vector.expires };
      expect(isEmbedTokenValid(shown, requested, vector.expires * 1000 - 1)).toBe(true);
    },
  );

  test.each(vectors.verify)('$name: returns $expect', ({ zone, request, expect: expected }) => {
    const signing = { keys: zone.keys, holdsAddress: zone.includeIp === true, prefix: null };
    const bearer = { address: request.ip, country: request.country, nowMs: request.now * 1000 };
    expect(judge(request.url, signing, bearer)).toBe(expected);
  });

  test('reads all vectors: 43 for signing, 34 for verification', () => {
    expect([vectors.sign.length, vectors.verify.length]).toEqual([43, 34]);
  });
});

describe('a folder signed by the zone', () => {
  const zone = { keys: ['a key of the zone'], holdsAddress: false, prefix: '/vz-7' };
  const bearer = { address: '192.0.2.7', country: '', nowMs: 1_000_000 };
  const sign = (folder: string, address: string | null = null) =>
    signFolder({ key: 'a key of the zone', folder, expiresSec: 2_000, address });

  test.each([
    ['before the prefix', `/${sign('/abc/')}/vz-7/abc/x.ts`, 'ok'],
    ['after the prefix', `/vz-7/${sign('/abc/')}/abc/x.ts`, 'ok'],
    ['without the prefix', `/${sign('/abc/')}/abc/x.ts`, 'ok'],
    ['signed with the prefix', `/${sign('/vz-7/abc/')}/vz-7/abc/x.ts`, 'ok'],
    ['another folder', `/${sign('/abc/')}/vz-7/abd/x.ts`, 'path'],
    ['a longer name', `/${sign('/abc')}/abcd/x.ts`, 'path'],
    ['a path that leaves the folder', `/${sign('/abc/')}/abc/%2e%2e/d`, 'bad-path'],
    ['encoded twice', `/${sign('/abc/')}/abc/%252e%252e/d`, 'bad-path'],
  ])('judges a token: %s', (_, target, expected) => {
    expect(judge(target, zone, bearer)).toBe(expected);
  });

  test('a token for an address admits only that address or its /64 network', () => {
    const held = { ...zone, holdsAddress: true };
    const target = `/${sign('/abc/', '2001:db8:1:2::5')}/abc/x.ts`;
    expect(judge(target, held, { ...bearer, address: '2001:db8:1:2:9::1' })).toBe('ok');
    expect(judge(target, held, { ...bearer, address: '2001:db8:1:3::5' })).toBe('signature');
    expect(judge(`/${sign('/abc/')}/abc/x.ts`, held, bearer)).toBe('ip-required');
  });

  test('is rejected if any byte of its token is changed', () => {
    const token = sign('/abc/');
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=&%/.'];
    const changes = fc.record({ at: fc.nat(token.length - 1), to: fc.constantFrom(...alphabet) });
    fc.assert(
      fc.property(changes, ({ at, to }) => {
        const changed = token.slice(0, at) + to + token.slice(at + 1);
        // The case of an escape's digits does not change its value.
        fc.pre(changed.toLowerCase() !== token.toLowerCase() || !/%[0-9A-F]?$/.test(token.slice(0, at)));
        fc.pre(changed !== token);
        expect(judge(`/${changed}/abc/x.ts`, zone, bearer)).not.toMatch(/^ok/);
      }),
      { numRuns: 3_000 },
    );
  });
});
