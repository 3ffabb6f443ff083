import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { findProcesses } from '../support/service-processes.ts';

/** Batches cover 250 ms. On a busy machine, each batch and its commit are later. */
const BATCH_MS = 250;
const LATE_MS = 2_000;
const REFUSALS = 400;
const EVERY_MS = 10;

let service: Service;
beforeAll(async () => {
  // Events of one client are sampled, so each refusal comes from another client.
  service = await startService(null, { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' });
  const response = await fetch(`${service.apiUrl}/pullzone/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ZoneSecurityEnabled: true }),
  });
  expect(response.status).toBe(200);
});
afterAll(() => discard(service));

const mediaId = newGuid();
const refuse = async (number: number) => {
  const headers = { 'x-forwarded-for': `198.18.${Math.floor(number / 250)}.${number % 250}` };
  return (await fetch(`${service.edgeUrl}/vz-1/${mediaId}/playlist.m3u8?ver=${number}`, { headers })).status;
};

/** Returns the numbers of the stored refusals, in order. */
async function storedNumbers(): Promise<number[]> {
  const database = openCatalogue(service);
  try {
    const ref = { zoneId: 1, day: dayOf(Date.now()), afterSeq: 0 };
    const events = await createShieldEventStore(database.db).read(ref, 10_000);
    return events.map(({ log }) => Number(/ver=(\d+)/.exec(log)?.[1]));
  } finally {
    await database.close();
  }
}

test('a killed edge loses at most the events of its last batch, and the next edge continues', async () => {
  await expect.poll(() => refuse(0), { timeout: 20_000 }).toBe(403);
  const [edge] = await findProcesses(service, 'role.ts edge');
  if (edge === undefined) throw new Error('Expected the process of the edge.');
  const answeredMs = [performance.now()];
  for (let number = 1; number <= REFUSALS; number += 1) {
    expect(await refuse(number)).toBe(403);
    answeredMs.push(performance.now());
    await sleep(EVERY_MS);
  }
  const killedMs = performance.now();
  process.kill(edge.pid, 'SIGKILL');
  // Once the next edge has stored an event, everything that the killed edge sent to the database is committed.
  await expect.poll(() => refuse(REFUSALS + 1).catch(() => 0), { timeout: 30_000 }).toBe(403);
  await expect.poll(storedNumbers, { timeout: 30_000 }).toContain(REFUSALS + 1);
  const stored = new Set(await storedNumbers());
  const lost = [...answeredMs.keys()].filter((number) => !stored.has(number));
  const [firstLost = REFUSALS + 1] = lost;
  // Only the newest events are lost, without gaps between stored events.
  expect(lost).toEqual(Array.from({ length: REFUSALS + 1 - firstLost }, (_, index) => firstLost + index));
  expect(killedMs - (answeredMs[firstLost] ?? killedMs)).toBeLessThan(BATCH_MS + LATE_MS);
});
