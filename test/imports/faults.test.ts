import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { ask, type Import, makeFiles, startImporter, untilImport } from './import-fixture.ts';
import { type Call, missing, type Reply, type ScriptedApi, startScriptedApi } from './scripted-api.ts';
import { scriptedGuid } from './scripted-stream.ts';

const GZIP = { 'content-encoding': 'gzip' };

type Fields = Record<string, unknown>;
type Script = {
  titles: string[];
  file?: (index: number, call: Call) => Reply | null;
  list?: (call: Call) => Reply | null;
  /** More fields of all videos. */
  fields?: object;
  /** Whether lists of collections are compressed although nobody asks for that. */
  isCompressed?: boolean;
  /** Resolutions of the MP4 files, without an original. Only the files of 240p exist. */
  mp4s?: string;
};

let service: Service;
let clip: Buffer;
beforeAll(async () => {
  ({ clip } = await makeFiles());
  service = await startImporter(null);
}, 300_000);
afterAll(() => discard(service));

const isOver = ({ state }: Import) => ['finished', 'cancelled', 'failed'].includes(state);
let made = 0;

/** Serves a library of bunny Stream whose videos keep their originals, or MP4 files instead. */
async function script({
  titles,
  file,
  list,
  fields,
  isCompressed,
  mp4s,
}: Script): Promise<{ api: ScriptedApi; guids: string[] }> {
  made += 1;
  const guids = titles.map((_, index) => scriptedGuid(`fault ${made} ${index}`));
  const videos = guids.map((guid, index) => ({
    guid,
    title: titles[index],
    status: 4,
    hasOriginal: mp4s === undefined,
    hasMP4Fallback: mp4s !== undefined,
    availableResolutions: mp4s ?? '240p',
    thumbnailFileName: 'thumbnail.jpg',
    length: 2,
    ...fields,
  }));
  const api = await startScriptedApi((call) => {
    const { path: at, query } = call;
    const page = { currentPage: 1, itemsPerPage: 1000 };
    if (at.endsWith('/collections')) {
      const json = { ...page, totalItems: 0, items: [] };
      return isCompressed === true ? { bytes: gzipSync(JSON.stringify(json)), headers: GZIP } : { json };
    }
    if (at.endsWith('/videos')) {
      const answer = list?.(call) ?? null;
      const items = query.get('itemsPerPage') === '1' ? videos.slice(0, 1) : videos;
      return answer ?? { json: { ...page, totalItems: videos.length, items } };
    }
    const name = mp4s === undefined ? 'original' : 'play_240p.mp4';
    const index = guids.findIndex((guid) => at === `/cdn/${guid}/${name}`);
    return index === -1 ? missing : (file?.(index, call) ?? { bytes: clip });
  });
  onTestFinished(() => api.stop());
  return { api, guids };
}

async function create(): Promise<number> {
  return (await ask<{ Id: number }>(service, 'POST', '/videolibrary', { Name: 'Target' })).Id;
}

async function start(libraryId: number, api: ScriptedApi, more: object = {}): Promise<string> {
  const address = { source: 'bunny', apiUrl: api.url, cdnUrl: `${api.url}/cdn`, accessKey: 'key', sourceLibraryId: 1 };
  const { guid } = await ask<Import>(service, 'POST', `/library/${libraryId}/imports`, { ...address, ...more });
  return `/library/${libraryId}/imports/${guid}`;
}

const over = (at: string) => untilImport(() => service, at, isOver);
const titlesOf = (count: number) => Array.from({ length: count }, (_, index) => `Video ${index}`);

test('an import completes despite many 429 responses to lists and files', async () => {
  const { api } = await script({ titles: titlesOf(6) });
  for (let index = 0; index < 5; index += 1) api.fail(/\/(collections|videos)$/, 429, { 'Retry-After': '1' });
  for (let index = 0; index < 8; index += 1) api.fail(/original$/, 429, { 'Retry-After': '1' });
  const report = await over(await start(await create(), api));
  expect(report).toMatchObject({ state: 'finished', reason: null, counts: { imported: 6, failed: 0 } });
}, 300_000);

test('a smaller MP4 file replaces a missing one, without a note that the original failed', async () => {
  const { api } = await script({ titles: titlesOf(1), mp4s: '240p,360p' });
  const report = await over(await start(await create(), api));
  expect(report.items).toMatchObject([
    { state: 'imported', notes: ['The source keeps no original. The best MP4 is used.'] },
  ]);
}, 300_000);

test('redirects to private addresses are refused, in lists and in files', async () => {
  const to = (location: string): Reply => ({ status: 302, headers: { Location: location } });
  const { api } = await script({
    titles: titlesOf(2),
    file: (index) => (index === 0 ? to('http://10.0.0.1/original') : null),
  });
  const report = await over(await start(await create(), api));
  expect(report).toMatchObject({ state: 'finished', counts: { imported: 1, failed: 1 } });
  const failed = report.items.find(({ state }) => state === 'failed');
  expect(failed).toMatchObject({ title: 'Video 0', retryable: false, reason: expect.stringContaining('not allowed') });

  const listed = await script({ titles: titlesOf(1), list: () => to('http://169.254.169.254/latest') });
  const refused = await over(await start(await create(), listed.api));
  expect(refused).toMatchObject({ state: 'failed', reason: expect.stringContaining('not allowed') });
}, 300_000);

test('a video that its source deletes during the transfer fails, and a later import gets it', async () => {
  let [isDeleted, isBack, requests] = [false, false, 0];
  const { api } = await script({
    titles: titlesOf(2),
    file(index, { header }) {
      if (index !== 0 || isBack) return null;
      if (isDeleted) return missing;
      requests += 1;
      // The first request asks whether the file exists.
      if (requests === 1 || header('range') === 'bytes=0-0') return null;
      isDeleted = true;
      return { bytes: clip, cut: 1_000 };
    },
  });
  const target = await create();
  const report = await over(await start(target, api));
  expect(report).toMatchObject({ state: 'finished', counts: { imported: 1, failed: 1 } });
  expect(report.items.find(({ state }) => state === 'failed')).toMatchObject({
    title: 'Video 0',
    reason: expect.stringContaining('404'),
  });
  isBack = true;
  const later = await over(await start(target, api));
  expect(later.counts).toMatchObject({ imported: 1, skipped: 1, failed: 0 });
}, 300_000);

test('two libraries that import the same source at once share its videos, each once', async () => {
  const { api, guids } = await script({ titles: titlesOf(8) });
  const [one, other] = [await create(), await create()];
  const both = await Promise.all([start(one, api), start(other, api)]);
  await expect(start(one, api)).rejects.toThrow('at most one running import per library');
  const reports = await Promise.all(both.map(over));
  const imported = reports.flatMap(({ items }) => items.filter(({ state }) => state === 'imported'));
  expect(imported).toHaveLength(guids.length);
  expect(new Set(imported.map(({ guid }) => guid))).toEqual(new Set(guids));
  for (const { state, reason } of reports.flatMap(({ items }) => items)) {
    if (state !== 'imported') expect([state, reason]).toEqual(['skipped', expect.stringContaining('GUID is in use')]);
  }
}, 300_000);

test('an import that is cancelled during a transfer keeps complete files, and continues with the others', async () => {
  const { api, guids } = await script({ titles: titlesOf(5) });
  const target = await create();
  const at = await start(target, api, { concurrency: 1, bandwidth: 10_000 });
  await untilImport(
    () => service,
    at,
    ({ counts }) => (counts.fetching ?? 0) > 0,
  );
  await ask(service, 'POST', `${at}/cancel`);
  const cancelled = await over(at);
  expect(cancelled).toMatchObject({ state: 'cancelled', counts: { fetching: 0, failed: 0 } });
  expect(cancelled.counts.waiting).toBeGreaterThan(0);
  await ask(service, 'POST', `${at}/resume`);
  expect(await over(at)).toMatchObject({ state: 'finished', counts: { imported: 5, failed: 0 } });
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', `/library/${target}/videos`);
  expect(new Set(items.map(({ guid }) => guid))).toEqual(new Set(guids));
}, 300_000);

test('titles with slashes, other scripts and any length are imported', async () => {
  const titles = [
    'a/b\\c',
    '../../etc/passwd',
    '長'.repeat(1_200),
    '👩‍👩‍👧 ünï',
    'line\nbreak\u0000',
    '  ',
    '<b>&amp;',
  ];
  const { api, guids } = await script({ titles });
  const target = await create();
  const report = await over(await start(target, api));
  expect(report).toMatchObject({ state: 'finished', counts: { imported: titles.length } });
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', `/library/${target}/videos`);
  const found = guids.map((guid) => items.find((item) => item.guid === guid)?.title);
  expect(found.slice(0, 2)).toEqual(titles.slice(0, 2));
  expect(found[2]).toBe('長'.repeat(1_000));
  expect(found[3]).toBe(titles[3]);
  expect(String(found[4])).not.toMatch(/[\n\0]/);
  expect(String(found[5])).not.toBe('');
  expect(found[6]).toBe(titles[6]);
}, 300_000);

test('files with unusual names are imported from a folder', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-names-'));
  vi.stubEnv('HOME', folder);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  const names = [
    '長'.repeat(80),
    'a#b?c%20d&e',
    '👩‍👩‍👧 “ünï” e\u0301',
    'quote\'s "x"',
    '-rf',
    'two\nlines',
    'back\\slash',
  ];
  await mkdir(path.join(folder, 'media/Ünï # ?'), { recursive: true });
  for (const name of names) await writeFile(path.join(folder, 'media/Ünï # ?', `${name}.mp4`), clip);
  const target = await create();
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const access = ['--url', service.apiUrl, '--key', ACCOUNT_KEY, '--library', String(target)];
  const code = await runVerb(['import', 'folder', path.join(folder, 'media'), ...access]);
  spy.mockRestore();
  expect([code, lines.join('')]).toEqual([
    0,
    expect.stringContaining(`${names.length + 1} imported, 0 skipped, 0 failed`),
  ]);
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', `/library/${target}/videos`);
  const expected = names.map((name) => name.replace(/\n/g, ' '));
  expect(new Set(items.map(({ title }) => title))).toEqual(new Set(expected));
}, 300_000);

test('an empty and a compressed file fail with the reason, and the import ends', { timeout: 120_000 }, async () => {
  const gzip = { bytes: gzipSync(clip), headers: GZIP };
  const file = (index: number) => (index === 0 ? { bytes: Buffer.alloc(0) } : index === 1 ? gzip : null);
  const { api } = await script({ titles: titlesOf(3), file });
  const { items } = await over(await start(await create(), api));
  expect(items).toMatchObject([
    { state: 'failed', retryable: false, reason: expect.stringContaining('empty') },
    { state: 'failed', retryable: false, reason: expect.stringContaining('Content-Encoding: "gzip"') },
    { state: 'imported' },
  ]);
});

test('impossible dates, totals and times are bounded, and compressed lists are read', {
  timeout: 120_000,
}, async () => {
  const chapters = [{ title: 'One', start: -1, end: 1e12 }];
  const fields = { dateUploaded: '2999-01-01T00:00:00', views: 1e18, totalWatchTime: 1e300, chapters };
  const { api, guids } = await script({ titles: ['Odd'], fields, isCompressed: true });
  const library = await create();
  expect((await over(await start(library, api))).counts).toMatchObject({ imported: 1 });
  const video = await ask<Fields>(service, 'GET', `/library/${library}/videos/${guids[0]}`);
  expect(video).toMatchObject({ views: 1e12, totalWatchTime: 1e13, chapters: [{ start: 0, end: 2 ** 31 - 1 }] });
  expect(Date.parse(`${video.dateUploaded}Z`)).toBeLessThanOrEqual(Date.now());
});

test('an import stops when its library is full, and continues after there is room', { timeout: 300_000 }, async () => {
  const { api } = await script({ titles: titlesOf(6) });
  const libraryId = await create();
  const limitTo = (limit: number) =>
    ask(service, 'PUT', `/library/${libraryId}/quotas`, { storageBytes: { limit, mode: 'hard' } });
  await limitTo(clip.length * 3);
  const at = await start(libraryId, api, { concurrency: 1 });
  const stopped = await over(at);
  const full = {
    state: 'cancelled',
    reason: expect.stringMatching(/quota storageBytes.*Resume the import afterwards/),
  };
  expect(stopped).toMatchObject({ ...full, counts: { failed: 0, skipped: 0, fetching: 0 } });
  expect(stopped.counts.waiting).toBeGreaterThan(0);
  const videos = await ask<{ totalItems: number }>(service, 'GET', `/library/${libraryId}/videos`);
  expect(videos.totalItems).toBe(stopped.counts.imported);
  await limitTo(1e9);
  await ask(service, 'POST', `${at}/resume`);
  expect(await over(at)).toMatchObject({ state: 'finished', reason: null, counts: { imported: 6 } });
});
