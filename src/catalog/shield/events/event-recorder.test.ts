import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readAddressSet } from '../../../lib/client-address.ts';
import { RULES } from '../rules.ts';
import { EventRecorder } from './event-recorder.ts';
import { anonymise, type ShieldEvent, shownHeaders } from './shield-event.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const client = { address: '192.0.2.7', key: '192.0.2.7', country: 'DE', asn: '64500' };
const request = { zoneId: 1, client, anonymises: true, method: 'GET', url: '/a', headers: {} };
const hit = { rule: RULES.tokenMissing, expected: 'a token', received: 'none' };

test('stores an event within 250 ms', async () => {
  const stored: ShieldEvent[] = [];
  const append = async (events: readonly ShieldEvent[]) => void stored.push(...events);
  const recorder = new EventRecorder({
    store: { append, read: async () => [], dropBefore: async () => undefined },
    serverZone: 'TEST',
  });
  const record = () => recorder.record(request, hit, { status: 'Blocked', others: [] });
  await vi.advanceTimersByTimeAsync(1);
  record();
  for (let elapsedMs = 1; elapsedMs < 249; elapsedMs += 50) {
    await vi.advanceTimersByTimeAsync(49);
    record();
  }
  await vi.advanceTimersByTimeAsync(5);
  expect(stored.length).toBeGreaterThan(0);
  await vi.advanceTimersByTimeAsync(250);
  expect(stored).toHaveLength(6);
  record();
  await recorder.close();
  expect(stored).toHaveLength(7);
});

test('masks tokens in the URL of the referring page, and shows other harmless headers', () => {
  const referer = 'https://edge.example/embed/1/x?t=5&viewer=secret&token=secret';
  expect(shownHeaders({ referer, cookie: 'secret', accept: '*/*' })).toEqual([
    { Name: 'referer', Value: 'https://edge.example/embed/1/x?t=5&viewer=***&token=***' },
    { Name: 'accept', Value: '*/*' },
  ]);
});

test.each([
  ['192.0.2.7', '192.0.2.*'],
  ['::ffff:192.0.2.7', '192.0.2.*'],
  ['2001:db8::5', '2001:db8::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['fe80::1', 'fe80::/64'],
])('anonymises the address of %s in a form that block lists accept', (address, shown) => {
  expect(anonymise(address)).toBe(shown);
  expect(readAddressSet([shown])?.has(address)).toBe(true);
});

test('returns a string that is not an address unchanged', () => {
  expect(['', 'unknown'].map(anonymise)).toEqual(['', 'unknown']);
});
