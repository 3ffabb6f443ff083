import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { cookieOf, pageHeaders } from '../support/people.ts';

let service: TestApi;
let headers: Record<string, string>;
let guid: string;

beforeAll(async () => {
  service = await startTestApi();
  const own = { Origin: service.url, 'X-Millrace-Dashboard': '1' };
  const body = { key: service.first.libraryKey };
  const signedIn = await service.call('POST', '/dashboard/session', { key: null, headers: own, body });
  headers = pageHeaders(service, cookieOf(signedIn));
  guid = Object((await service.call('POST', '/library/1/live', { body: { title: 'Market day' } })).body).guid;
});
afterAll(() => service.stop());

const addressOf = async (query: string) => {
  const path = `/dashboard/libraries/1/videos/${guid}/embed-address${query}`;
  const { status, body } = await service.call('GET', path, { key: null, headers });
  return { status, url: new URL(Object(body).address) };
};

test('the dashboard gets a signed player URL on request, valid for the chosen time', async () => {
  const { status, url } = await addressOf('');
  expect([status, url.search]).toEqual([200, '']);
  const nowSec = Math.floor(Date.now() / 1000);
  const signed = await addressOf('?signed=true&hours=24');
  const expires = signed.url.searchParams.get('expires') ?? '';
  const text = `${service.first.libraryKey}${guid}${expires}`;
  expect(signed.url.searchParams.get('token')).toBe(createHash('sha256').update(text).digest('hex'));
  expect(Number(expires) - nowSec).toBeGreaterThanOrEqual(24 * 3600);
  expect(Number(expires) - nowSec).toBeLessThan(25 * 3600);
});

test('a read-only key gets a signed player URL for an hour at most', async () => {
  const path = `/dashboard/libraries/1/videos/${guid}/embed-address?signed=true&hours=720`;
  const { status, body } = await service.call('GET', path, { key: service.first.readOnlyKey });
  const expires = Number(new URL(Object(body).address).searchParams.get('expires'));
  expect([status, expires - Math.floor(Date.now() / 1000) <= 3601]).toEqual([200, true]);
});
