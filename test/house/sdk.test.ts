import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/run-program.ts';
import { ApiError, Millrace, signEmbedUrl, type UploadState, verifyWebhook } from '../../sdk/src/millrace.ts';
import { closeServer, listen } from '../../src/lib/listen.ts';
import { openBrowser } from '../support/browser.ts';
import { ACCOUNT_KEY, discard, LIBRARY_KEY, type Service, startService } from '../support/service.ts';

const run = promisify(execFile);
const libraryId = 1;
/** Timeout that only a hang exceeds, even on a busy machine. */
const HANG_MS = 300_000;
let service: Service;
let library: Millrace;
let account: Millrace;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-sdk-'));
  service = await startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' });
  library = new Millrace({ url: service.apiUrl, key: LIBRARY_KEY });
  account = new Millrace({ url: service.apiUrl, key: ACCOUNT_KEY });
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

test('an interrupted upload continues where it stopped, and its video becomes playable', async () => {
  const clip = join(folder, 'clip.mp4');
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=2', '-c:v', 'libx264'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', ...source, '-pix_fmt', 'yuv420p', clip]);
  const file = await openAsBlob(clip);
  const states: UploadState[] = [];
  const stop = new AbortController();
  const options = { libraryId, title: 'Grüße', partBytes: Math.ceil(file.size / 3) };
  const interrupted = library.upload(file, {
    ...options,
    onState: (state) => void states.push(state),
    onProgress: (sent) => sent > 0 && stop.abort(),
    signal: stop.signal,
  });
  await expect(interrupted).rejects.toThrow(/abort/i);
  const [resume] = states;
  const offsets: number[] = [];
  if (resume === undefined) throw new Error('Expected the state of the upload.');
  const videoId = await library.upload(file, { ...options, resume, onProgress: (sent) => offsets.push(sent) });
  expect(offsets).toEqual([options.partBytes, 2 * options.partBytes, file.size]);
  const video = await library.waitUntilPlayable({ libraryId, videoId });
  expect(video).toMatchObject({ guid: resume.videoId, title: 'Grüße', width: 320 });
});

test('retries a temporary refusal, even before the first byte', async () => {
  const refused = new Set<string>();
  const proxy = createServer((request, response) => {
    const what = `${request.method} ${request.url}`;
    const isFirst = !refused.has(what);
    refused.add(what);
    response.writeHead(isFirst ? 503 : 307, { location: `${service.apiUrl}${request.url}` }).end();
  });
  const url = `http://127.0.0.1:${await listen(proxy, 0, '127.0.0.1')}`;
  onTestFinished(() => closeServer(proxy, 0));
  const behind = new Millrace({ url, key: LIBRARY_KEY });
  const title = 'refused at first';
  const videoId = await behind.upload(new Blob([Buffer.alloc(1_000)]), { libraryId, title });
  expect([...refused]).toEqual([`POST /library/${libraryId}/videos`, 'POST /tusupload']);
  expect(await library.call('listVideos', { libraryId, search: title })).toMatchObject({
    items: [{ guid: videoId }],
  });
});

test('rejects an empty file before creating a video', async () => {
  const refused = library.upload(new Blob([]), { libraryId, title: 'nothing at all' });
  await expect(refused).rejects.toThrow(RangeError);
  expect(await library.call('listVideos', { libraryId, search: 'nothing at all' })).toMatchObject({ totalItems: 0 });
});

test('an interrupted upload whose video was deleted uses a new video', async () => {
  const file = new Blob(['no video at all']);
  const stop = new AbortController();
  const states: UploadState[] = [];
  const options = { libraryId, title: 'again' };
  const keep = (state: UploadState) => void states.push(state);
  const interrupted = library.upload(file, {
    ...options,
    onState: (state) => {
      keep(state);
      stop.abort();
    },
    signal: stop.signal,
  });
  await expect(interrupted).rejects.toThrow(/abort/i);
  const [resume] = states;
  if (resume === undefined) throw new Error('Expected the state of the upload.');
  await library.call('deleteVideo', { libraryId, videoId: resume.videoId });
  const videoId = await library.upload(file, { ...options, resume, onState: keep });
  expect(videoId).not.toBe(resume.videoId);
  expect(states.at(-1)?.videoId).toBe(videoId);
  expect(await library.call('getVideo', { libraryId, videoId })).toMatchObject({ title: 'again' });
});

test('a video whose segments are encoded on demand is playable', async () => {
  // Fakes the API, because the real service would finish such a short video before the first poll.
  const onDemand = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ guid: 'a-video', status: 8, availableResolutions: '240p' }));
  });
  onTestFinished(() => closeServer(onDemand, 0));
  const url = `http://127.0.0.1:${await listen(onDemand, 0, '127.0.0.1')}`;
  const waiting = new Millrace({ url, key: LIBRARY_KEY }).waitUntilPlayable(
    { libraryId, videoId: 'a-video' },
    { signal: AbortSignal.timeout(20_000) },
  );
  expect(await waiting).toMatchObject({ status: 8 });
});

test('iterates over all pages as one list', async () => {
  const titles = ['a', 'b', 'c'].map((name) => `paged ${name}`);
  for (const title of titles) await library.call('createVideo', { libraryId, body: { title } });
  const seen = new Set<string>();
  const pages = library.pages('listVideos', { libraryId, itemsPerPage: 2, search: 'paged', orderBy: 'title' });
  for await (const video of pages) seen.add(video.title);
  expect(seen).toEqual(new Set(titles));
});

test('an error has status and request id, and an empty message if the response has none', async () => {
  const stranger = new Millrace({ url: service.apiUrl, key: 'no-such-key' });
  const refused = stranger.call('listVideos', { libraryId });
  await expect(refused).rejects.toMatchObject({ name: 'ApiError', status: 401, requestId: expect.any(String) });
  const wordless = new ApiError('GET /videos', { status: 502, headers: new Headers() }, '');
  expect(wordless).toMatchObject({ said: '', message: 'GET /videos failed with status 502' });
});

test('a signed player URL works in a library that requires tokens', async () => {
  const { PullZoneId } = await account.call('updateLibrary', {
    id: libraryId,
    body: { PlayerTokenAuthenticationEnabled: true },
  });
  const { ZoneSecurityKey } = await account.call('getPullZone', { id: PullZoneId });
  const { guid } = await library.call('createVideo', { libraryId, body: { title: 'guarded' } });
  const address = `${service.edgeUrl}/embed/${libraryId}/${guid}?autoplay=false`;
  const signed = await signEmbedUrl(address, ZoneSecurityKey ?? '', Math.floor(Date.now() / 1000) + 60);
  expect((await fetch(address)).status).toBe(403);
  expect((await fetch(signed)).status).toBe(200);
});

test('verifies a delivered webhook, and rejects it if its body is changed', async () => {
  const delivery = Promise.withResolvers<{ body: string; headers: Record<string, string | string[] | undefined> }>();
  const receiver = createServer(async (request, response) => {
    delivery.resolve({ body: await text(request), headers: request.headers });
    response.end();
  });
  const WebhookUrl = `http://127.0.0.1:${await listen(receiver, 0, '127.0.0.1')}/`;
  onTestFinished(() => closeServer(receiver, 0));
  const { ReadOnlyApiKey } = await account.call('updateLibrary', { id: libraryId, body: { WebhookUrl } });
  await library.call('testWebhook', { libraryId });
  const { body, headers } = await delivery.promise;
  const readOnlyKey = ReadOnlyApiKey ?? '';
  expect(await verifyWebhook(body, headers, { readOnlyKey })).toBe(true);
  expect(await verifyWebhook(`${body} `, headers, { readOnlyKey })).toBe(false);
  expect(await verifyWebhook(body, headers, { readOnlyKey, nowSec: Date.now() / 1000 + 3600 })).toBe(false);
});

test('the npm package works in an empty folder', async () => {
  const sdk = join(projectRoot, 'sdk');
  await run(process.execPath, ['pack.js'], { cwd: sdk });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: sdk });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', join(folder, stdout.trim())], { cwd: folder });
  const code = `import { Millrace } from 'millrace-sdk';
const millrace = new Millrace({ url: '${service.apiUrl}', key: '${LIBRARY_KEY}' });
const { totalItems } = await millrace.call('listVideos', { libraryId: 1 });
process.stdout.write(String(totalItems));`;
  await writeFile(join(folder, 'use.js'), code);
  const used = await run(process.execPath, ['use.js'], { cwd: folder });
  expect(Number(used.stdout)).toBeGreaterThan(0);
  await useInBrowser(join(folder, 'node_modules/millrace-sdk/dist'));
});

/**
 * Runs the packed files in Chromium, on a page with the service's origin: calls, pages, a signature, and an interrupted
 * upload.
 */
async function useInBrowser(dist: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(HANG_MS);
    await page.route(`${service.apiUrl}/sdk/**`, (route) => {
      const name = new URL(route.request().url()).pathname.slice('/sdk/'.length);
      if (name === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>SDK</title>' });
      return route.fulfill({ contentType: 'text/javascript', path: join(dist, name) });
    });
    await page.goto(`${service.apiUrl}/sdk/`);
    const clip = (await readFile(join(folder, 'clip.mp4'))).toString('base64');
    // A string, because imports in this file are not the page's imports.
    const seen = await page.evaluate<Record<string, unknown>>(`(async () => {
      const { Millrace, signEmbedUrl } = await import('/sdk/millrace.js');
      const millrace = new Millrace({ url: location.origin, key: '${LIBRARY_KEY}' });
      const file = new Blob([Uint8Array.from(atob('${clip}'), (one) => one.charCodeAt(0))], { type: 'video/mp4' });
      const options = { libraryId: 1, title: 'From a browser', partBytes: Math.ceil(file.size / 4) };
      const stop = new AbortController();
      let resume;
      const interrupted = await millrace.upload(file, {
        ...options,
        signal: stop.signal,
        onState: (state) => { resume = state; },
        // Stops in the second part: progress within the first part reports bytes that may not have arrived.
        onProgress: (sent) => { if (sent > options.partBytes) stop.abort(); },
      }).then(() => null, (error) => error.name);
      const sent = [];
      const videoId = await millrace.upload(file, { ...options, resume, onProgress: (bytes) => sent.push(bytes) });
      const { title, guid } = await millrace.waitUntilPlayable({ libraryId: 1, videoId });
      let listed = 0;
      for await (const video of millrace.pages('listVideos', { libraryId: 1, itemsPerPage: 2 })) {
        listed += video.guid === guid ? 1 : 0;
      }
      const unknown = millrace.call('getVideo', { libraryId: 1, videoId: 'none' });
      const refused = await unknown.then(() => null, (error) => error.status);
      const signed = await signEmbedUrl('http://edge.example/embed/1/' + guid, 'key', 2000000000);
      const bytes = { from: sent[0] > 0, sent: sent.at(-1), size: file.size };
      return { interrupted, isSame: guid === resume.videoId, title, listed, refused, signed, ...bytes };
    })()`);
    const { size } = await stat(join(folder, 'clip.mp4'));
    const expected = { interrupted: 'AbortError', isSame: true, title: 'From a browser', listed: 1, refused: 404 };
    expect(seen).toMatchObject({ ...expected, from: true, sent: size, size });
    expect(seen.signed).toMatch(/token=[0-9a-f]{64}&expires=2000000000/);
  } finally {
    await browser.close();
  }
}
