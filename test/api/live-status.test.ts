import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRelays } from '../../src/ingest/rtmp/open-relays.ts';
import { createAddressRules } from '../../src/lib/outbound/address-rules.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

test('the status of a stream states why a relay to a forbidden address is refused', async () => {
  const made = await api.call('POST', '/library/1/live', { body: { title: 'Match' } });
  const path = `/library/1/live/${Object(made.body).guid}/status`;
  expect((await api.call('GET', path)).body).toMatchObject({ relays: [] });
  const relays = openRelays(['rtmp://10.0.0.1/live/secret'], {
    rules: createAddressRules([]),
    report: () => undefined,
  });
  await expect.poll(() => relays.states()[0]?.state).toBe('failed');
  relays.close();
  // Simulates the report of the ingest process, which is sent every second.
  await sql`update live_lease set owner = ${Object(made.body).guid}, lease_until = now() + interval '1 hour',
    relays = ${JSON.stringify(relays.states())}::jsonb where stream_id = ${Object(made.body).guid}`.execute(
    api.database.db,
  );
  const { body, text } = await api.call('GET', path);
  expect(Object(body).relays).toEqual([
    { host: '10.0.0.1', state: 'failed', reason: expect.stringMatching(/not allowed: .*private.*OUTBOUND_ALLOW/) },
  ]);
  expect(text).not.toContain('secret');
});
