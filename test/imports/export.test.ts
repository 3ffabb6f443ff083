import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { ask, makeFiles, startImporter } from './import-room.ts';

const [FIRST, SECOND] = ['0190163d-8694-739b-aea5-966c26f8ad91', '0190163d-8694-739b-aea5-966c26f8ad92'];
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n';
type Fields = Record<string, unknown>;

let source: Service;
let target: Service;
let folder: string;
const at = (name: string) => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-export-'));
  vi.stubEnv('HOME', folder);
  const { clip, image } = await makeFiles();
  execFileSync('mkdir', ['-p', at('media/Talks')]);
  const fields = {
    guid: FIRST,
    title: 'The "first"; one',
    description: 'Two\nlines',
    dateUploaded: '2023-04-05T06:07:08Z',
    views: 12,
    totalWatchTime: 34,
    isPublic: true,
    category: 'talks',
    chapters: [{ title: 'Start', start: 0, end: 1 }],
    moments: [{ label: 'Peak', timestamp: 1 }],
    metaTags: [{ property: 'k', value: 'v' }],
    captions: [{ srclang: 'de', label: 'Deutsch (für alle)' }],
  };
  await writeFile(at('media/Talks/one.mp4'), clip);
  await writeFile(at('media/Talks/one.json'), JSON.stringify(fields));
  await writeFile(at('media/Talks/one.de.vtt'), VTT);
  await writeFile(at('media/Talks/one.png'), image);
  await writeFile(at('media/two.mp4'), clip);
  await writeFile(at('media/two.json'), JSON.stringify({ guid: SECOND }));
  [source, target] = await Promise.all([startImporter(null), startImporter(null)]);
  expect(await millrace(source, 'import', 'folder', at('media'))).toMatchObject({ code: 0 });
  const { PullZoneId } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  await ask(source, 'POST', `/pullzone/${PullZoneId}`, { ZoneSecurityEnabled: true });
}, 300_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const service of [source, target]) if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

async function millrace(service: Service, ...args: string[]): Promise<{ code: number | null; text: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const code = await runVerb([...args, '--url', service.apiUrl, '--key', ACCOUNT_KEY, '--library', '1']).finally(() =>
    spy.mockRestore(),
  );
  return { code, text: lines.join('') };
}

async function listed(service: Service): Promise<Fields[]> {
  const { items } = await ask<{ items: Fields[] }>(service, 'GET', '/library/1/videos?orderBy=title');
  return items;
}

/** Fields that differ because the video and its thumbnail are encoded again, on another service. */
const MADE_AGAIN = [
  'thumbnailBlurhash',
  'thumbnailFileName',
  'storageSize',
  'thumbnailUrl',
  'encodeProgress',
  'status',
  'captions',
  'transcodingMessages',
];
const kept = (video: Fields) =>
  Object.fromEntries(Object.entries(video).filter(([name]) => !MADE_AGAIN.includes(name)));
const isFinished = async (service: Service) => (await listed(service)).every(({ status }) => status === 4);

test('an import of an export has the same fields, and a second export transfers nothing', async () => {
  await expect.poll(() => isFinished(source), { timeout: 120_000, interval: 500 }).toBe(true);
  // An interrupted export left the beginning of a file.
  const clip = await readFile(at('media/two.mp4'));
  execFileSync('mkdir', [at('out')]);
  await writeFile(at(`out/${SECOND}.media.part`), clip.subarray(0, 1_000));
  const first = await millrace(source, 'export', at('out'));
  expect(first).toEqual({ code: 0, text: '2 exported, 0 unchanged, 0 failed\n' });
  expect(new Set(await readdir(at('out')))).toEqual(
    new Set([
      ...['jpg', 'de.vtt', 'json', 'mp4'].map((extension) => `${FIRST}.${extension}`),
      ...['json', 'mp4'].map((extension) => `${SECOND}.${extension}`),
      ...['SHA256SUMS', 'collections.json', 'statistics.csv', '.export.json'],
    ]),
  );
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('out') });
  expect(await readFile(at(`out/${SECOND}.mp4`))).toEqual(clip);
  expect((await millrace(source, 'export', at('out'))).text).toBe('0 exported, 2 unchanged, 0 failed\n');

  expect(await millrace(target, 'import', 'folder', at('out'))).toMatchObject({ code: 0 });
  await expect.poll(() => isFinished(target), { timeout: 120_000, interval: 500 }).toBe(true);
  const [before, after] = [await listed(source), await listed(target)];
  expect(after.map(kept)).toEqual(before.map(kept));
  const hasOwnThumbnail = (videos: Fields[]) =>
    videos.map(({ thumbnailFileName }) => /^thumbnail_[0-9a-f]{8}\.jpg$/.test(String(thumbnailFileName)));
  expect([hasOwnThumbnail(after), hasOwnThumbnail(before)]).toEqual([
    [true, false],
    [true, false],
  ]);
  const captions = (videos: Fields[]) =>
    videos.map((video) => Object(video.captions).map(({ version: _, ...one }: Fields) => one));
  expect(captions(after)).toEqual(captions(before));
  const shelves = (service: Service) => ask<{ items: Fields[] }>(service, 'GET', '/library/1/collections');
  const named = async (service: Service) => (await shelves(service)).items.map(({ guid, name }) => ({ guid, name }));
  expect(await named(target)).toEqual(await named(source));
}, 300_000);

test('exports a replaced original again, and removes deleted captions', async () => {
  await ask(source, 'DELETE', `/library/1/videos/${FIRST}/captions/de`);
  const [one] = await listed(source);
  await writeFile(at('out/SHA256SUMS'), `${'0'.repeat(64)}  ${String(one?.guid)}.mp4\n`);
  expect((await millrace(source, 'export', at('out'))).text).toBe('2 exported, 0 unchanged, 0 failed\n');
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('out') });
  expect(await readdir(at('out'))).not.toContain(`${FIRST}.de.vtt`);
}, 120_000);

test('exports a damaged file again', async () => {
  const name = at(`out/${SECOND}.mp4`);
  const clip = await readFile(name);
  await writeFile(name, clip.subarray(0, 1_000));
  expect((await millrace(source, 'export', at('out'))).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await readFile(name)).toEqual(clip);
  // The size is the same, but one byte is not.
  const damaged = Buffer.from(clip);
  damaged.writeUInt8(damaged.readUInt8(500) ^ 1, 500);
  await writeFile(name, damaged);
  expect((await millrace(source, 'export', at('out'))).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await readFile(name)).toEqual(clip);
}, 120_000);

test('reports videos that cannot be exported with the reason, and exits with 6', async () => {
  const { PullZoneId } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  await ask(source, 'POST', `/pullzone/${PullZoneId}`, { BlockedIps: ['127.0.0.1'] });
  // The edge applies a new rule within a second.
  const run = () => millrace(source, 'export', at('out'));
  await expect.poll(async () => (await run()).code, { timeout: 30_000, interval: 1_000 }).toBe(6);
  const { text } = await run();
  expect(text).toMatch(new RegExp(`^failed\\t${FIRST}\\tThe "first"; one\\t/${FIRST}/[\\w.-]+: HTTP 403\\.$`, 'm'));
  expect(text).toContain('0 exported, 1 unchanged, 1 failed');
}, 120_000);

test('a key that can only read does not get originals', async () => {
  const { ReadOnlyApiKey } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  const url = `${source.apiUrl}/library/1/videos/${SECOND}/original`;
  const refused = await fetch(url, { headers: { AccessKey: String(ReadOnlyApiKey) } });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('needs write access')]);
  const whole = await fetch(`${url}?fromByte=100`, { headers: { AccessKey: ACCOUNT_KEY } });
  expect(Buffer.from(await whole.arrayBuffer())).toEqual((await readFile(at('media/two.mp4'))).subarray(100));
  const missing = await fetch(url.replace(SECOND, FIRST.replace('0190', '0195')), {
    headers: { AccessKey: ACCOUNT_KEY },
  });
  expect(missing.status).toBe(404);
}, 60_000);
