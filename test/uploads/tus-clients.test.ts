import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { http } from '../../src/lib/http.ts';
import { listen } from '../../src/lib/listen.ts';
import { openBrowser } from '../support/browser.ts';
import { sign, type TusLibrary } from './tus-client.ts';
import { sha256, startUploadFixture, type UploadFixture } from './upload-fixture.ts';

const ENTRY = '\0entry';
const BYTES = 300_000;

let fixture: UploadFixture;
let library: TusLibrary;
let browser: Browser;
let page: Page;
const site = http.createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html');
  response.end('<!doctype html><title>A page with Uppy</title>');
});

beforeAll(async () => {
  [fixture, browser] = await Promise.all([startUploadFixture(), openBrowser()]);
  library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
  const port = await listen(site, 0, '127.0.0.1');
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.addScriptTag({ content: await bundleUppy() });
});
beforeEach(() => fixture.empty());
afterAll(async () => {
  await browser.close();
  site.close();
  await fixture.stop();
  expect(fixture.faults).toEqual([]);
});

async function bundleUppy(): Promise<string> {
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? { id: ENTRY } : null),
        load: (id) =>
          id === ENTRY
            ? "export { default as Uppy } from '@uppy/core'; export { default as Tus } from '@uppy/tus';"
            : null,
      },
    ],
    cwd: import.meta.dirname,
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'uppy' });
  return output[0].code;
}

const CHUNKED = { chunkSize: 100_000 };

test.each<[string, Partial<UploadOptions>]>([
  ['in one request', {}],
  ['in chunks', CHUNKED],
  ['in one creation', { uploadDataDuringCreation: true }],
  ['in a creation and chunks', { uploadDataDuringCreation: true, ...CHUNKED }],
  ['in parallel', { parallelUploads: 3 }],
  ['in parallel creations', { parallelUploads: 3, uploadDataDuringCreation: true }],
  ['in parallel, in chunks', { parallelUploads: 4, chunkSize: 30_000 }],
  ['with a length that is known at the end', { uploadLengthDeferred: true, ...CHUNKED }],
  [
    'with a length that is known at the end, with an empty last chunk',
    { uploadLengthDeferred: true, chunkSize: 150_000 },
  ],
  ['with another method for PATCH', { overridePatchMethod: true, ...CHUNKED }],
])('tus-js-client uploads %s', async (_, options) => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(BYTES);
  const source = options.uploadLengthDeferred === true ? Readable.from(slices(bytes)) : bytes;
  const done = Promise.withResolvers<void>();
  new Upload(source, {
    endpoint: `${library.url}/tusupload`,
    headers: sign(library, guid),
    metadata: { filetype: 'video/mp4', title: 'By the client' },
    retryDelays: [],
    onSuccess: () => done.resolve(),
    onError: done.reject,
    ...options,
  }).start();
  await done.promise;
  expect(await fixture.storedSource(guid)).toEqual(bytes);
  expect(await fixture.loadVideo(guid)).toMatchObject({
    title: 'By the client',
    status: 1,
    originalHash: sha256(bytes),
  });
  expect([await fixture.staged(), await fixture.countJobs('process-video', guid)]).toEqual([[], 1]);
});

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

test.each([
  ['with default settings', {}],
  ['in chunks', CHUNKED],
  ['with uploadDataDuringCreation', { uploadDataDuringCreation: true }],
  ['with uploadDataDuringCreation, in chunks', { uploadDataDuringCreation: true, ...CHUNKED }],
  ['in parallel', { parallelUploads: 3 }],
])('Uppy uploads %s', async (_, options) => {
  const guid = await fixture.createVideo();
  const given = { endpoint: `${library.url}/tusupload`, headers: sign(library, guid), retryDelays: [], ...options };
  const failed = await page.evaluate(
    async ({ made, bytes }) => {
      // Globals of the script that the page loaded.
      const { Uppy, Tus } = Object(window).uppy;
      const uppy = new Uppy().use(Tus, made);
      uppy.addFile({ name: 'film.mp4', type: 'video/mp4', data: new Blob(['x'.repeat(bytes)]) });
      const outcome = await uppy.upload();
      uppy.destroy();
      return outcome.failed.map((file: { error: string }) => file.error);
    },
    { made: given, bytes: BYTES },
  );
  expect(failed).toEqual([]);
  expect(await fixture.storedSource(guid)).toEqual(Buffer.alloc(BYTES, 'x'));
  expect(await fixture.staged()).toEqual([]);
});
