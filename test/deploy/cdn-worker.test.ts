import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { md5 } from '../../deploy/cdn-worker/md5.ts';
import { verifyRequest } from '../../deploy/cdn-worker/verify-request.ts';

type Vector = {
  name: string;
  zone: { keys: string[]; includeIp?: boolean };
  request: { url: string; ip: string; country: string; now: number };
  expect: string;
};
const vectors: {
  sign: {
    scheme: string;
    key: string;
    expires: number;
    url?: string;
    input?: { userIp: string; countriesAllowed: string };
  }[];
  verify: Vector[];
} = JSON.parse(readFileSync(new URL('../delivery/token-vectors.json', import.meta.url), 'utf8'));

const targetOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');

test.each(vectors.verify)(
  'the CDN worker checks the token vector "$name": $expect',
  async ({ zone, request, expect: expected }) => {
    const signing = { keys: zone.keys, holdsAddress: zone.includeIp === true, prefix: null };
    const client = { address: request.ip, country: request.country, nowMs: request.now * 1000 };
    const verdict = await verifyRequest(targetOf(request.url), signing, client);
    const limit = verdict.fault === null && verdict.limitKBps !== null ? `:limit=${verdict.limitKBps}` : '';
    expect(verdict.fault ?? `ok${limit}`).toBe(expected);
  },
);

test.each(vectors.sign.filter(({ url }) => url !== undefined))(
  'the CDN worker accepts $scheme $url, but not with a different key',
  async ({ key, expires, url = '', input }) => {
    const client = {
      address: input?.userIp || '9.9.9.9',
      country: input?.countriesAllowed.split(',')[0] || 'DE',
      nowMs: expires * 1000,
    };
    const zone = { keys: [key], holdsAddress: false, prefix: null };
    expect((await verifyRequest(targetOf(url), zone, client)).fault).toBeNull();
    expect((await verifyRequest(targetOf(url), { ...zone, keys: ['another'] }, client)).fault).toBe('signature');
  },
);

test.each([0, 1, 55, 56, 63, 64, 119, 200])('the MD5 of %i bytes equals the MD5 that Node computes', (length) => {
  const message = Buffer.alloc(length, 'message');
  expect(Buffer.from(md5(message)).toString('hex')).toBe(createHash('md5').update(message).digest('hex'));
});

test('no module of the CDN worker imports from Node', () => {
  const seen = new Set<string>();
  const visit = (file: URL) => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/from '([^']+)'/g)) {
      expect(name).not.toMatch(/^node:/);
      if (name.startsWith('.')) visit(new URL(name, file));
    }
  };
  visit(new URL('../../deploy/cdn-worker/verify-request.ts', import.meta.url));
  expect(seen.size).toBe(3);
});
