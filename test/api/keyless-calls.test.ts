import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

/** Maximum time between two writes of events, in ms. */
const QUIET_MS = 1_000;
const eventsOf = () =>
  createShieldEventStore(api.database.db).read({ zoneId: 0, day: dayOf(Date.now()), afterSeq: 0 }, 100);
const ATTACK = `/library/1/videos?search=${encodeURIComponent('1 union select a,b from users')}`;

test('logs or blocks attacks without a key, and does not inspect requests with a valid key', async () => {
  expect((await api.call('GET', ATTACK, { key: null })).status).toBe(401);
  await expect
    .poll(async () => (await eventsOf()).map(({ ruleId, status }) => [ruleId.slice(0, 3), status]))
    .toEqual([['942', 'Logged']]);
  const body = { shieldZoneId: 0, shieldZone: { wafExecutionMode: 1 } };
  expect((await api.call('PATCH', '/shield/shield-zone', { key: api.first.accountKey, body })).status).toBe(200);
  const refused = () => api.call('GET', ATTACK, { key: 'no such key' });
  await expect.poll(async () => (await refused()).status, { timeout: 2_000 }).toBe(403);
  expect((await refused()).headers.get('x-millrace-rule')).toMatch(/^942/);
  expect((await api.call('GET', '/wp-config.php', { key: null })).status).toBe(403);
  const length = await untilQuiet();
  expect((await api.call('GET', ATTACK)).status).toBe(200);
  expect((await api.call('GET', '/library/1/videos?search=a+film', { key: null })).status).toBe(401);
  expect((await api.call('GET', '/nothing/here', { key: null })).status).toBe(404);
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  expect((await eventsOf()).slice(length)).toEqual([]);
});

/** Returns the number of events once it stops growing. */
async function untilQuiet(): Promise<number> {
  let before = -1;
  const count = async () => {
    const { length } = await eventsOf();
    const isQuiet = length === before;
    before = length;
    return isQuiet;
  };
  await expect.poll(count, { interval: QUIET_MS }).toBe(true);
  return before;
}
