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

test('/llms.txt lists every page with a link to its Markdown', async () => {
  const answer = await fetch(`${api.url}/llms.txt`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const text = await answer.text();
  expect(text).toMatch(/^# Millrace\n\n> A self-hosted video platform/);
  expect(text).toContain('\n## Embed and play\n\n- [');
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\): \S/gm)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(25);
  for (const link of links) {
    const page = await fetch(new URL(link, api.url));
    expect([link, page.status, page.headers.get('content-type')]).toEqual([link, 200, 'text/markdown; charset=utf-8']);
    expect(await page.text()).toMatch(/^# /);
  }
  expect(await (await fetch(`${api.url}/docs/llms.txt`)).text()).toBe(text);
});
