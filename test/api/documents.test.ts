import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ dashboard: async () => ({ script: 'main.js', style: 'main.css', files: new Map() }) });
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const search = (query: string) => fetch(`${api.url}/docs/search${query}`);

test('a search of the documentation returns links to the pages that contain all words', async () => {
  const answer = await search('?q=webhook%20signature');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const page = await answer.text();
  expect(page).toMatch(/<main><h1>Search: webhook signature<\/h1><ul><li><a href="[^"]*\/docs\/webhooks">/);
  expect(page).toContain('value="webhook signature"');
});

test('a search without results says so, with the query escaped', async () => {
  const page = await (await search(`?q=${encodeURIComponent('<script>alert(1)</script>')}`)).text();
  expect(page).toContain('No page contains these words. Try fewer or other words.');
  expect(page).not.toContain('<script>');
  expect((await search('')).status).toBe(200);
  expect((await search(`?q=${'x'.repeat(5_000)}`)).status).toBe(200);
});
