import { expect, test } from 'vitest';
import { newGuid } from '../../../lib/guid.ts';
import { EventRing, type OpenEvent, type Sample } from './event-ring.ts';

function eventAt(atMs: number, change: Partial<OpenEvent> = {}): OpenEvent {
  const details = {
    ...{ ServerZoneId: 'X', Message: 'm', Url: '/', RemoteIp: '', UrlEncodedBody: '', Headers: [], Rules: [] },
    TriggerMatch: { Key: '', Value: '' },
  };
  const labels = { ruleGroup: '', severity: '', status: 'Blocked', method: 'GET', country: '', asn: '' } as const;
  return { zoneId: 1, logId: newGuid(), atMs, ruleId: '10100', serverZone: 'X', ...labels, details, ...change };
}

function sample(client: string, event: OpenEvent): Sample {
  return { client, zoneId: event.zoneId, ruleId: event.ruleId, atMs: event.atMs, make: () => event };
}

const countOf = (logs: { log: string }[]) =>
  logs.reduce((sum, { log }) => sum + 1 + Number(JSON.parse(log).Suppressed ?? 0), 0);

test('samples a flood from one client and counts the omitted events exactly', () => {
  const ring = new EventRing();
  for (let index = 0; index < 5_000; index += 1) ring.add(sample('a', eventAt(index)));
  ring.add(sample('b', eventAt(4_999)));
  const stored = ring.takeAll();
  expect(stored.length).toBeLessThanOrEqual(10 + 5 + 1 + 1);
  expect(countOf(stored)).toBe(5_001);
  expect(ring.takeAll()).toEqual([]);
});

test('reports omitted events soon, and a steady flood as one event per second', () => {
  const ring = new EventRing();
  const stored: { log: string }[] = [];
  const perSec: number[] = [];
  for (let second = 0; second < 30; second += 1) {
    for (let index = 0; index < 8; index += 1) ring.add(sample('a', eventAt(second * 1_000 + index * 125)));
    const taken = ring.take((second + 1) * 1_000);
    perSec.push(taken.length);
    stored.push(...taken);
  }
  expect(Math.max(...perSec.slice(5))).toBe(1);
  stored.push(...ring.take(31_000));
  expect(countOf(stored)).toBe(30 * 8);
});

test('stores rare events one by one, separately for each zone and rule', () => {
  const ring = new EventRing();
  for (let index = 0; index < 20; index += 1) {
    ring.add(sample('a', eventAt(index, { zoneId: index % 2 })));
    ring.add(sample('a', eventAt(index, { ruleId: '10101', zoneId: index % 2 })));
  }
  expect(ring.take(20)).toHaveLength(40);
});

test('counts events that exceed the capacity of the ring', () => {
  const ring = new EventRing();
  for (let index = 0; index < 25_000; index += 1) ring.add(sample(`${index}`, eventAt(0)));
  expect([ring.takeAll().length, ring.dropped]).toEqual([20_000, 5_000]);
});
