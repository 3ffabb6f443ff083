import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { http } from '../../src/lib/http.ts';
import { listen } from '../../src/lib/listen.ts';
import { openBrowser } from '../support/browser.ts';
import { sign } from './tus-client.ts';
import { startUploadFixture, type UploadFixture } from './upload-fixture.ts';

const TUS_JS = new URL('../../node_modules/tus-js-client/dist/tus.min.js', import.meta.url).pathname;

let fixture: UploadFixture;
let browser: Browser;
let page: Page;
const site = http.createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end('<!doctype html><title>Another origin</title>');
});

beforeAll(async () => {
  [fixture, browser] = await Promise.all([startUploadFixture(), openBrowser()]);
  const port = await listen(site, 0, '127.0.0.1');
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.addScriptTag({ path: TUS_JS });
});
afterAll(async () => {
  await browser.close();
  site.close();
  await fixture.stop();
  expect(fixture.faults).toEqual([]);
});

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string };

/** Sends a request from the page, with the library's key. Returns the part of the response that the page can read. */
async function call({ method, path, headers = {}, body }: Sent) {
  const sent = {
    url: `${fixture.url}${path}`,
    method,
    headers: { AccessKey: fixture.first.libraryKey, ...headers },
    body,
  };
  return page.evaluate(async ({ url, ...init }) => {
    const answer = await fetch(url, init as RequestInit);
    const text = await answer.text();
    const requestId = answer.headers.get('X-Request-Id');
    return { status: answer.status, requestId, body: text === '' ? null : JSON.parse(text) };
  }, sent);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const create = async (title: string): Promise<string> =>
  (await call({ method: 'POST', path: '/library/1/videos', headers: JSON_TYPE, body: JSON.stringify({ title }) })).body
    .guid;

test('a page of a different origin creates, uploads, lists, changes and deletes videos with a key', async () => {
  const guid = await create('From a page');
  const path = `/library/1/videos/${guid}`;
  const own = { 'X-Of-This-Client': 'yes' };
  expect((await call({ method: 'PUT', path, headers: own, body: 'bytes of a video' })).body).toMatchObject({
    success: true,
  });
  const list = await call({ method: 'GET', path: '/library/1/videos' });
  expect(list).toMatchObject({ status: 200, requestId: expect.any(String), body: { items: [{ guid }] } });
  const body = JSON.stringify({ title: 'Changed by a page' });
  expect((await call({ method: 'POST', path, headers: JSON_TYPE, body })).body).toMatchObject({ success: true });
  expect((await call({ method: 'GET', path })).body).toMatchObject({ title: 'Changed by a page', status: 1 });
  expect((await call({ method: 'DELETE', path })).body).toMatchObject({ success: true });
  // The page can read any refusal like other responses.
  expect(await call({ method: 'GET', path })).toMatchObject({ status: 404, body: { success: false } });
  expect(await call({ method: 'GET', path: '/videolibrary' })).toMatchObject({ status: 401 });
  expect(await call({ method: 'DELETE', path: '/nowhere' })).toMatchObject({ status: 404 });
});

/** Uploads with tus-js-client in the page. Returns its last error, null for none. */
async function upload(guid: string, options: object): Promise<string | null> {
  const headers = sign({ libraryId: 1, key: fixture.first.libraryKey }, guid);
  const given = { endpoint: `${fixture.url}/tusupload`, headers, retryDelays: [], ...options };
  return page.evaluate(async (made) => {
    // The page's script defined this variable.
    const { Upload } = Object(window).tus;
    return new Promise<string | null>((resolve) => {
      const file = new Blob(['x'.repeat(100_000)]);
      new Upload(file, {
        ...made,
        onSuccess: () => resolve(null),
        onError: (error: Error) => resolve(error.message),
      }).start();
    });
  }, given);
}

test('a page of a different origin uploads in chunks', async () => {
  const guid = await create('In pieces');
  expect(await upload(guid, { chunkSize: 40_000, metadata: { title: 'Named by a page' } })).toBeNull();
  expect(await fixture.loadVideo(guid)).toMatchObject({ title: 'Named by a page', status: 1, hasOriginal: true });
});

test.each([
  ['in parallel', { parallelUploads: 2 }],
  ['with its first bytes in the creation', { uploadDataDuringCreation: true }],
  ['with a length that is set at the end', { uploadLengthDeferred: true, chunkSize: 40_000 }],
])('a page of a different origin uploads %s', async (_, options) => {
  const guid = await create('By a page');
  expect(await upload(guid, options)).toBeNull();
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, hasOriginal: true });
});
