import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { runVerb } from '../../src/cli/client/run-verb.ts';
import { openCatalogue } from '../support/leftovers.ts';
import { ACCOUNT_KEY, discard, type Service } from '../support/service.ts';
import { ask, makeFiles, startImporter } from './import-fixture.ts';

export const [FIRST, SECOND] = ['0190163d-8694-739b-aea5-966c26f8ad91', '0190163d-8694-739b-aea5-966c26f8ad92'];
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n';
export type Fields = Record<string, unknown>;

export type ExportFixture = {
  /** A library with two videos, and an empty one. */
  source: Service;
  target: Service;
  /** Returns a path in a folder of the test. `media/two.mp4` is the file of the second video. */
  at(name: string): string;
  close(): Promise<void>;
};

/** Views and watch time of the first video, newest first. */
const DAYS = [
  { day: '2024-05-08', views: 1, watchTime: 9 },
  { day: '2024-05-06', views: 11, watchTime: 25 },
];

/**
 * Starts two services, and imports a folder into the first, which writes exports below `exports`. `padding` is appended
 * to the file of the second video.
 */
export async function openExportFixture(padding: Buffer): Promise<ExportFixture> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-export-'));
  const at = (name: string) => path.join(folder, name);
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
    statistics: DAYS,
    isPublic: true,
    visibility: 'private',
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
  await writeFile(at('media/two.mp4'), Buffer.concat([clip, padding]));
  await writeFile(at('media/two.json'), JSON.stringify({ guid: SECOND }));
  const services: Service[] = [];
  const close = async () => {
    vi.unstubAllEnvs();
    for (const service of services) await discard(service);
    await rm(folder, { recursive: true, force: true });
  };
  const start = async (settings?: Record<string, string>) => {
    const service = await startImporter(null, settings);
    services.push(service);
    return service;
  };
  try {
    const source = await start({ MILLRACE_EXPORT_DIR: at('exports') });
    const target = await start();
    expect(await millrace(source, 'import', 'folder', at('media'))).toMatchObject({ code: 0 });
    await vi.waitFor(async () => expect(await isFinished(source)).toBe(true), { timeout: 200_000, interval: 500 });
    await addReview(source);
    return { source, target, at, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Arranges the videos of the collection against their dates, and adds comments of a key, a guest and a viewer. */
async function addReview(source: Service): Promise<void> {
  const { items } = await ask<{ items: Fields[] }>(source, 'GET', '/library/1/collections');
  const collectionId = items[0]?.guid;
  await ask(source, 'POST', `/library/1/videos/${SECOND}`, { collectionId });
  const order = { order: 'manual', videoIds: [SECOND, FIRST] };
  await ask(source, 'POST', `/library/1/collections/${String(collectionId)}/order`, order);
  await addThread(source, `/library/1/videos/${FIRST}`);
  const { db, close } = openCatalogue(source);
  const row = (id: string, parent: string | null, kind: string) => sql`
    insert into review_comment (id, library_id, media_id, parent_id, at_ms, content, author_kind, author_id,
      author_name, created_at) values (${id}, 1, ${FIRST}, ${parent}, 250, ${`By a ${kind}`}, ${kind}, ${kind},
      ${`A ${kind}`}, '2024-05-06T07:08:09.123Z')`;
  await row(GUEST, null, 'guest').execute(db);
  await row(GUEST.replace('0190', '0191'), GUEST, 'email').execute(db);
  await close();
}

const GUEST = '0190163d-8694-739b-aea5-966c26f8ad95';

/** Adds a resolved comment with a reply, whose text was changed. */
export async function addThread(service: Service, video: string): Promise<void> {
  const at = `${video}/comments`;
  const { guid } = await ask<Fields>(service, 'POST', at, { text: 'Two\nlines', time: 1.5 });
  const reply = await ask<Fields>(service, 'POST', at, { text: 'Typo', parentId: guid });
  await ask(service, 'POST', `${at}/${String(reply.guid)}`, { text: 'A reply' });
  await ask(service, 'POST', `${at}/${String(guid)}`, { isResolved: true });
}

/** Returns the orders of all collections and the comments of all videos. */
export async function reviewOf(service: Service, libraryId = 1): Promise<object> {
  const at = `/library/${libraryId}`;
  const load = async (path: string) => (await ask<{ items: Fields[] }>(service, 'GET', `${at}/${path}`)).items;
  const orders = await Promise.all(
    (await load('collections')).map(({ guid }) => ask(service, 'GET', `${at}/collections/${String(guid)}/order`)),
  );
  const comments = await Promise.all(
    (await load('videos?orderBy=title')).map(({ guid }) => load(`videos/${String(guid)}/comments`)),
  );
  // The account of an author is not exported, so an imported comment belongs to no account.
  const text = JSON.stringify({ orders, comments });
  return JSON.parse(text.replaceAll('"isOwn":true', '"isOwn":false'));
}

/** Runs a command, by default on library 1. Returns its exit code and what it prints. */
export async function millrace(service: Service, ...args: string[]): Promise<{ code: number | null; text: string }> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const library = args.includes('--library') ? [] : ['--library', '1'];
  const code = await runVerb([...args, '--url', service.apiUrl, '--key', ACCOUNT_KEY, ...library]).finally(() =>
    spy.mockRestore(),
  );
  return { code, text: lines.join('') };
}

export async function listed(service: Service): Promise<Fields[]> {
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

/** Waits until the target is encoded, and compares every field with the source. */
export async function expectSame({ source, target }: ExportFixture): Promise<void> {
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
  const review = await reviewOf(source);
  expect(JSON.stringify(review)).toContain('By a guest');
  expect(await reviewOf(target)).toEqual(review);
  const extras = await ask<Fields>(target, 'GET', `/library/1/videos/${FIRST}/extras`);
  expect(extras.statistics).toEqual(DAYS);
}
