import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi();
});
afterAll(() => service.stop());

const ownPage = () => ({ Origin: service.url, 'X-Millrace-Dashboard': '1' });
const signIn = async (key: string) =>
  (await service.call('POST', '/dashboard/session', { key: null, headers: ownPage(), body: { key } })).status;

test('limits sign-in attempts with wrong keys per address, and still accepts a valid key', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) statuses.push(await signIn(`wrong-key-${count}`));
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect(await signIn(service.first.libraryKey)).toBe(200);
  expect(await signIn('wrong-key')).toBe(429);
});
