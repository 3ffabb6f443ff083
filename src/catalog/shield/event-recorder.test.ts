import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventRecorder } from './event-recorder.ts';
import { RULES } from './rules.ts';
import type { ShieldEvent } from './shield-event.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const client = { address: '192.0.2.7', key: '192.0.2.7', country: 'DE', asn: '64500' };
const request = { zoneId: 1, client, anonymises: true, method: 'GET', url: '/a', headers: {} };
const hit = { rule: RULES.tokenMissing, expected: 'a token', came: 'none' };

test('an event waits at most 250 ms before it is stored, whatever else comes', async () => {
  const stored: ShieldEvent[] = [];
  const append = async (events: readonly ShieldEvent[]) => void stored.push(...events);
  const recorder = new EventRecorder({
    store: { append, read: async () => [], dropBefore: async () => undefined },
    serverZone: 'TEST',
    log: { error: () => expect.unreachable() },
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
