import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let zone: number;
beforeAll(async () => {
  api = await startTestApi();
  const { db } = api.database;
  zone = (await db.selectFrom('pull_zone').select('id').where('library_id', '=', 1).executeTakeFirstOrThrow()).id;
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = async (method: string, path: string, body?: unknown, key: string | null = api.first.accountKey) => {
  const answer = await api.call(method, `/shield/${path}`, { key, body });
  return { status: answer.status, body: Object(answer.body) };
};
const CHANGE = {
  wafEnabled: true,
  wafExecutionMode: 1,
  wafDisabledRules: ['930130'],
  wafLogOnlyRules: ['942270'],
  wafRequestIgnoredHeaders: ['X-Note'],
};

test.each([
  ['a pull zone', () => zone],
  ['requests without a zone', () => 0],
])('%s: stores the fields that were sent, and keeps fields that are absent or null', async (_, idOf) => {
  const id = idOf();
  const at = { shieldZoneId: id, pullZoneId: id };
  const before = { ...at, wafEnabled: true, wafExecutionMode: 0, wafDisabledRules: [] };
  expect(await call('GET', `shield-zone/${id}`)).toMatchObject({ status: 200, body: { data: before } });
  const changed = await call('PATCH', 'shield-zone', { shieldZoneId: id, shieldZone: CHANGE });
  expect(changed).toEqual({ status: 200, body: { data: { ...at, ...CHANGE } } });
  await call('PATCH', 'shield-zone', { ShieldZoneId: id, shieldZone: { WafExecutionMode: 0, wafDisabledRules: null } });
  const after = { data: { ...at, ...CHANGE, wafExecutionMode: 0 } };
  expect((await call('GET', `shield-zone/get-by-pullzone/${id}`)).body).toEqual(after);
});

test('lists zones in pages', async () => {
  const { body } = await call('GET', 'shield-zones?page=1&perPage=1');
  expect(body.data).toHaveLength(1);
  expect(body.page).toEqual({ totalCount: 2, totalPages: 2, currentPage: 1, nextPage: 2, pageSize: 1 });
});

test('responds with RFC 9457 problem details to a wrong key, an unknown zone and a wrong mode', async () => {
  const refusals = [
    await call('GET', 'shield-zones', undefined, api.first.libraryKey),
    await call('GET', 'shield-zone/99999'),
    await call('PATCH', 'shield-zone', { shieldZoneId: zone, shieldZone: { wafExecutionMode: 7 } }),
  ];
  for (const [index, status] of [401, 404, 400].entries()) {
    expect(refusals[index]).toMatchObject({
      status,
      body: { status, title: expect.any(String), detail: expect.any(String) },
    });
  }
});
