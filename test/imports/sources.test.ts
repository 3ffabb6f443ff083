import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { discard, type Service } from '../support/service.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from './import-fixture.ts';
import { scriptMediacms } from './script-mediacms.ts';
import { scriptVimeo } from './script-vimeo.ts';
import { type ScriptedApi, startScriptedApi } from './scripted-api.ts';
import { cloudflareUid, peertubeGuid, scriptCloudflare, scriptMux, scriptPeertube } from './scripted-sources.ts';

type Fields = Record<string, unknown>;
type Ran = { report: Import; videos: Fields[]; collections: Fields[]; libraryId: number; at: string };

let service: Service;
let files: Awaited<ReturnType<typeof makeFiles>>;
beforeAll(async () => {
  files = await makeFiles();
  service = await startImporter(null);
}, 300_000);
afterAll(() => discard(service));

const isOver = ({ state }: Import) => ['finished', 'planned', 'cancelled', 'failed'].includes(state);

async function script(answer: Parameters<typeof startScriptedApi>[0]): Promise<ScriptedApi> {
  const api = await startScriptedApi(answer);
  onTestFinished(() => api.stop());
  return api;
}

async function run(body: object, into?: number): Promise<Ran> {
  const libraryId = into ?? (await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Target' })).Id;
  const { guid } = await ask<Import>(service, 'POST', `/library/${libraryId}/imports`, body);
  const at = `/library/${libraryId}/imports/${guid}`;
  const report = await untilImport(() => service, at, isOver);
  const listed = async (what: string) =>
    (await ask<{ items: Fields[] }>(service, 'GET', `/library/${libraryId}/${what}?itemsPerPage=1000`)).items;
  return { report, videos: await listed('videos'), collections: await listed('collections'), libraryId, at };
}

const titled = (items: readonly Fields[], title: string) => items.find((item) => item.title === title);
const itemOf = ({ report }: Ran, title: string) => report.items.find((item) => item.title === title);
const tagsOf = (video: Fields | undefined) =>
  Object.fromEntries(Object.values(Object(video?.metaTags)).map((tag) => [Object(tag).property, Object(tag).value]));

test('imports PeerTube with its GUIDs, and signs in with a password', async () => {
  const api = await script(scriptPeertube(files));
  api.fail(/users\/me\/videos/, 429, { 'Retry-After': '1' });
  const body = { source: 'peertube', apiUrl: api.url, account: 'root', secretKey: 'pass word' };
  const ran = await run(body);
  expect(ran.report).toMatchObject({ state: 'finished', counts: { imported: 3, skipped: 1, failed: 1 } });
  const first = titled(ran.videos, 'First');
  expect(first).toMatchObject({
    guid: peertubeGuid(0),
    description: 'About 0\nin full',
    category: 'Science & Technology',
    collectionId: ran.collections[0]?.guid,
    isPublic: true,
    visibility: 'public',
    views: 10,
    totalWatchTime: 99,
    dateUploaded: expect.stringContaining('2020-01-02T03:04:05'),
    captions: [{ srclang: 'fr', label: 'French' }],
    chapters: [
      { title: 'Start', start: 0, end: 1 },
      { title: 'Middle', start: 1, end: 2 },
    ],
  });
  expect(first?.thumbnailFileName).toMatch(/^thumbnail_[0-9a-f]{8}\.jpg$/);
  expect(tagsOf(first)).toEqual({ peertubeUuid: peertubeGuid(0), keywords: 'one, two' });
  expect(ran.collections).toMatchObject([{ name: 'The lab' }]);
  expect(titled(ran.videos, 'Second')).toMatchObject({ isPublic: false, visibility: 'private' });
  expect(itemOf(ran, 'Second')?.notes.join(' ')).toMatch(/passwords.*The source keeps no original/);
  expect(itemOf(ran, 'Live')).toMatchObject({ state: 'skipped', reason: 'A live stream has no file.' });
  expect(itemOf(ran, 'Deleted')).toMatchObject({ state: 'failed', reason: expect.stringContaining('404') });
  expect(api.seen.filter((call) => call.startsWith('GET /download/'))).toContain('GET /download/original.mp4');
  expect(api.seen).toContain('GET /download/720.mp4');
}, 300_000);

test('waits until Mux has prepared a master, and requests an expired URL again', async () => {
  const api = await script(scriptMux(files));
  api.fail(/assets\/a$/, 429, { 'Retry-After': '1' });
  const body = { source: 'mux', apiUrl: api.url, cdnUrl: api.url, accessKey: 'id', secretKey: 'secret' };
  const ran = await run(body);
  expect(ran.report).toMatchObject({ state: 'finished', counts: { imported: 2, skipped: 1, failed: 1 } });
  const [titledOne, passed] = [titled(ran.videos, 'With a title'), titled(ran.videos, 'Passed through')];
  expect(titledOne).toMatchObject({
    isPublic: true,
    visibility: 'public',
    dateUploaded: expect.stringContaining('2021-01-05T17:52:32'),
    captions: [{ srclang: 'de', label: 'Deutsch' }],
  });
  expect(tagsOf(titledOne)).toMatchObject({ muxAssetId: 'a', muxPlaybackId: 'play-a', muxExternalId: 'shop-7' });
  expect(passed).toMatchObject({ isPublic: false, visibility: 'private', captions: [] });
  expect(itemOf(ran, 'Passed through')?.notes.join(' ')).toMatch(/playback policy.*1 captions are not imported/);
  expect(itemOf(ran, 'c')).toMatchObject({
    state: 'skipped',
    reason: expect.stringContaining('The input is no video.'),
  });
  expect(itemOf(ran, 'd')).toMatchObject({ state: 'failed', reason: expect.stringContaining('404') });
  expect(Object(ran.report).notImported.join(' ')).toContain('Mux Data');
}, 300_000);

test('lists each page of Cloudflare once, and requests a download of each video', async () => {
  const api = await script(scriptCloudflare(files, 520));
  api.fail(/stream$/, 429, { 'Retry-After': '1' });
  const body = { source: 'cloudflare', apiUrl: api.url, account: 'account', accessKey: 'token' };
  const ran = await run(body);
  expect(ran.report).toMatchObject({ state: 'finished', counts: { total: 520, imported: 2, skipped: 1, failed: 517 } });
  expect(titled(ran.videos, 'Video 0')).toMatchObject({
    guid: cloudflareUid(0).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    isPublic: true,
    visibility: 'public',
    dateUploaded: expect.stringContaining('2024-02-03T04:05:06'),
    captions: [{ srclang: 'es', label: 'Español' }],
    thumbnailFileName: expect.stringMatching(/^thumbnail_/),
  });
  expect(tagsOf(titled(ran.videos, 'Video 0'))).toEqual({
    cloudflareUid: cloudflareUid(0),
    shop: 'seven',
    creator: 'creator-1',
  });
  expect(titled(ran.videos, 'Video 1')).toMatchObject({ isPublic: false, visibility: 'private' });
  expect(itemOf(ran, 'Video 1')?.notes.join(' ')).toMatch(/allowed origins.*signed URLs/);
  expect(itemOf(ran, 'Video 3')).toMatchObject({ state: 'failed', retryable: true });
  expect(api.seen).toContain('GET /signed/downloads/default.mp4');
}, 300_000);

test('imports videos and folders from Vimeo, and renews expired links', async () => {
  const api = await script(scriptVimeo(files));
  const resetSec = Math.floor(Date.now() / 1000) + 1;
  api.fail(/me\/videos/, 429, { 'X-RateLimit-Reset': String(resetSec) });
  const ran = await run({ source: 'vimeo', apiUrl: api.url, accessKey: 'token' });
  expect(ran.report).toMatchObject({ state: 'finished', counts: { imported: 3, skipped: 1, failed: 1 } });
  expect(titled(ran.videos, 'Film 101')).toMatchObject({
    description: 'A film',
    category: 'Art',
    collectionId: ran.collections[0]?.guid,
    isPublic: true,
    visibility: 'public',
    views: 42,
    dateUploaded: expect.stringContaining('2021-02-03T04:05:06'),
    captions: [{ srclang: 'en', label: 'English (edited)' }],
    chapters: [
      { title: 'Opening', start: 0, end: 1 },
      { title: 'End', start: 1, end: 2 },
    ],
    thumbnailFileName: expect.stringMatching(/^thumbnail_/),
  });
  expect(tagsOf(titled(ran.videos, 'Film 101'))).toEqual({ vimeoId: '101', keywords: 'red, blue' });
  expect(ran.collections).toMatchObject([{ name: 'Folder five' }]);
  expect(itemOf(ran, 'Film 102')?.notes.join(' ')).toMatch(/no original.*password/);
  expect(itemOf(ran, 'Film 103')).toMatchObject({ state: 'skipped', reason: expect.stringContaining('video_files') });
  expect(itemOf(ran, 'Film 104')).toMatchObject({ state: 'failed', reason: expect.stringContaining('404') });
  expect(api.seen.filter((call) => call.includes('/files/101/source/')).length).toBeGreaterThan(2);
}, 300_000);

test('imports MediaCMS, sends its token to the server only, and a second run does nothing', async () => {
  const tokens: string[] = [];
  const store = await script(({ header }) => {
    tokens.push(header('authorization'));
    return { bytes: files.clip };
  });
  const api = await script(scriptMediacms(files, store.url));
  api.fail(/manage_media/, 429, { 'Retry-After': '1' });
  const body = { source: 'mediacms', apiUrl: api.url, accessKey: 'token' };
  const ran = await run(body);
  expect(ran.report).toMatchObject({ state: 'finished', counts: { imported: 2, skipped: 1, failed: 1 } });
  expect(titled(ran.videos, 'Medium aaa')).toMatchObject({
    description: 'In full',
    category: 'Lectures',
    isPublic: true,
    visibility: 'public',
    views: 5,
    dateUploaded: expect.stringContaining('2022-03-04T04:06:07'),
    captions: [{ srclang: 'el', label: 'Greek' }],
    chapters: [{ title: 'Start', start: 0, end: 1 }],
  });
  expect(itemOf(ran, 'Medium bbb')?.notes.join(' ')).toMatch(/no original.*Physics/);
  expect(itemOf(ran, 'Medium ccc')).toMatchObject({ state: 'skipped', reason: expect.stringContaining('image') });
  expect(api.seen).toContain('GET /media/240.mp4');
  expect(new Set(tokens)).toEqual(new Set(['']));
  const again = await run(body, ran.libraryId);
  expect(again.report.counts).toMatchObject({ imported: 0, skipped: 3, failed: 1 });
}, 300_000);

test('a wrong token ends the import with the reason, and no message contains it', async () => {
  const api = await script(scriptVimeo(files));
  const { report } = await run({ source: 'vimeo', apiUrl: api.url, accessKey: 'wrong-secret' });
  expect(report).toMatchObject({ state: 'failed', reason: expect.stringContaining('401') });
  expect(JSON.stringify(report)).not.toContain('wrong-secret');
}, 120_000);
