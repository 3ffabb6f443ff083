import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { EventRing, type OpenEvent } from './event-ring.ts';

function eventAt(atMs: number, change: Partial<OpenEvent> = {}): OpenEvent {
  const details = {
    ...{ ServerZoneId: 'X', Message: 'm', Url: '/', RemoteIp: '', UrlEncodedBody: '', Headers: [], Rules: [] },
    TriggerMatch: { Key: '', Value: '' },
  };
  const labels = { ruleGroup: '', severity: '', status: 'Blocked', method: 'GET', country: '', asn: '' } as const;
  return { zoneId: 1, logId: newGuid(), atMs, ruleId: '10100', serverZone: 'X', ...labels, details, ...change };
}

const countOf = (logs: { log: string }[]) =>
  logs.reduce((sum, { log }) => sum + 1 + Number(JSON.parse(log).Suppressed ?? 0), 0);

test('a flood of one client is sampled, and its events and what they leave out add up', () => {
  const ring = new EventRing();
  for (let at = 0; at < 5_000; at += 1) ring.add({ client: 'a', event: eventAt(at) });
  ring.add({ client: 'b', event: eventAt(4_999) });
  const stored = ring.takeAll();
  expect(stored.length).toBeLessThanOrEqual(5 * 11 + 1);
  expect(countOf(stored)).toBe(5_001);
  expect(ring.takeAll()).toEqual([]);
});

test('what comes rarely is stored one by one, other zones and rules apart', () => {
  const ring = new EventRing();
  for (let at = 0; at < 20; at += 1) {
    ring.add({ client: 'a', event: eventAt(at, { zoneId: at % 2 }) });
    ring.add({ client: 'a', event: eventAt(at, { ruleId: '10101', zoneId: at % 2 }) });
  }
  expect(ring.take(20)).toHaveLength(40);
});

test('more than there is room for is counted', () => {
  const ring = new EventRing();
  for (let at = 0; at < 25_000; at += 1) ring.add({ client: `${at}`, event: eventAt(0) });
  expect([ring.takeAll().length, ring.dropped]).toEqual([20_000, 5_000]);
});
