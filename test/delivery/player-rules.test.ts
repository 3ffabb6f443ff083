import http from 'node:http';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

let database: TestDatabase;
let fixture: EdgeFixture;
let edge: TestEdge;
let film: Film;

beforeAll(async () => {
  [database, film] = await Promise.all([startTestDatabase(), makeFilm(48, [90])]);
  fixture = await createEdgeFixture(database);
  edge = await fixture.start({ ownHosts: ['player.test'] });
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
  await database.stop();
});

/** Returns the status of a page. `fetch` does not let a test set Host and Sec-Fetch-Dest. */
async function open(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = http.get(`${edge.base}${path}`, { headers, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  request.on('error', reject);
  return promise;
}

/** Publishes a clear video in a library with these rules. Returns its path after `/embed` or `/play`. */
async function show(access: object): Promise<string> {
  const libraryId = await addLibrary(database.db, { access });
  const { mediaId } = await addFilm(database.db, libraryId, film, 'Shown');
  return `/${libraryId}/${mediaId}`;
}

test('the page opens for any viewer if no rules exist, even with a trailing slash', async () => {
  const video = await show({});
  for (const path of [`/embed${video}`, `/embed${video}/`, `/play${video}`, `/play${video}/?autoplay=false`]) {
    expect([path, await open(path)]).toEqual([path, 200]);
    expect(await open(path, { 'sec-fetch-dest': 'document' })).toBe(200);
  }
  expect(await open(`/embed${video}//`)).toBe(404);
});

test.each(['/embed', '/play'])('%s applies the referrer rules of a clear video', async (page) => {
  const path = `${page}${await show({ allowedReferrers: ['good.test'], blockNoneReferrer: true })}`;
  expect(await open(path)).toBe(403);
  expect(await open(path, { referer: 'https://bad.test/' })).toBe(403);
  expect(await open(path, { referer: 'https://good.test/page' })).toBe(200);
  expect(await open(`${path}/state`, { referer: 'https://bad.test/' })).toBe(403);
  expect(await open(`${path}/state`, { referer: 'https://player.test/embed/1/x' })).toBe(200);
});

test('a Host header that equals the referrer does not grant access', async () => {
  const path = `/embed${await show({ allowedReferrers: ['good.test'] })}`;
  expect(await open(path, { host: 'evil.test', referer: 'https://evil.test/' })).toBe(403);
  expect(await open(path, { host: 'evil.test', referer: 'https://player.test/' })).toBe(200);
});

test.each(['/embed', '/play'])('%s requires the embed token of a clear video', async (page) => {
  const path = `${page}${await show({ playerTokenRequired: true })}`;
  expect([await open(path), await open(`${path}/state`)]).toEqual([403, 403]);
});

test.each([
  { query: '', text: 'This video needs a signed link.' },
  { query: `?token=${'0'.repeat(64)}&expires=9999999999`, text: 'The link has expired or is invalid.' },
])('the page distinguishes a missing token from a wrong one: "$query"', async ({ query, text }) => {
  const page = await fetch(`${edge.base}/embed${await show({ playerTokenRequired: true })}${query}`);
  expect(page.status).toBe(403);
  expect(await page.text()).toContain(text);
});

test('if direct play is forbidden, the page opens only in frames of other pages', async () => {
  const video = await show({ allowDirectPlay: false });
  expect(await open(`/play${video}`)).toBe(403);
  expect(await open(`/embed${video}`, { 'sec-fetch-dest': 'document' })).toBe(403);
  expect(await open(`/embed${video}`, { 'sec-fetch-dest': 'iframe' })).toBe(200);
  expect(await open(`/embed${video}/state`, { 'sec-fetch-dest': 'empty' })).toBe(200);
});

test('a rate-limited page shows the reason in the language of its library, with a retry time', async () => {
  const libraryId = await addLibrary(database.db, { player: { uiLanguage: 'de' } });
  const { mediaId } = await addFilm(database.db, libraryId, film, 'Shown');
  await database.db
    .updateTable('pull_zone')
    .where('library_id', '=', libraryId)
    .set({ settings: JSON.stringify({ requestsPerSec: 1, burstRequests: 1 }) })
    .execute();
  const path = `${edge.base}/embed/${libraryId}/${mediaId}`;
  const asked = Array.from({ length: 5 }, () => fetch(path, { headers: { 'accept-language': 'pl' } }));
  const refused = (await Promise.all(asked)).find(({ status }) => status === 429);
  expect(await refused?.text()).toContain('<html lang="de"');
  expect(refused?.headers.get('retry-after')).toBe('1');
});

test("the page of an unknown library shows its refusal in the viewer's language", async () => {
  const strict = await fixture.start({ limits: { clientRate: { perSec: 1, burst: 1 } } });
  const asked = Array.from({ length: 5 }, () =>
    fetch(`${strict.base}/embed/999/${newGuid()}`, { headers: { 'accept-language': 'xx, pl-PL;q=0.9, de;q=0.8' } }),
  );
  const refused = (await Promise.all(asked)).find(({ status }) => status === 429);
  expect(await refused?.text()).toContain('<html lang="pl"');
  expect(refused?.headers.get('retry-after')).toBe('1');
  await strict.close();
});

test("the page of an unknown video uses the viewer's language", async () => {
  const path = `${edge.base}/embed/1/${newGuid()}`;
  const missing = await fetch(path, { headers: { 'accept-language': 'xx, pl-PL;q=0.9, de;q=0.8' } });
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain('<html lang="pl"');
  expect(await (await fetch(path, { headers: { 'accept-language': 'xx' } })).text()).toContain('<html lang="en"');
});

test('serves the player.js client at the stable URL that applications use', async () => {
  const latest = await fetch(`${edge.base}/playerjs/playerjs-latest.min.js`);
  expect([latest.status, latest.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(latest.headers.get('cache-control')).toBe('public, max-age=3600');
  const named = await fetch(`${edge.base}/assets/player.js-0.1.0.min.js`);
  expect(await latest.text()).toBe(await named.text());
  expect(named.headers.get('cache-control')).toContain('immutable');
});

test('serves the script of the millrace-player element at the stable URL of the embed code', async () => {
  const script = await fetch(`${edge.base}/playerjs/millrace-player.js`);
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(script.headers.get('cache-control')).toBe('public, max-age=3600');
  const customElements = { get: () => undefined, define: vi.fn() };
  runInNewContext(await script.text(), { customElements });
  expect(customElements.define).toHaveBeenCalledExactlyOnceWith('millrace-player', expect.any(Function));
});
