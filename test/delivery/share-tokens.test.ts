import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShareStore, type ShareFields, type ShareKey } from '../../src/catalog/shares/share-store.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { expectOneFile } from './expect-one-file.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const PATIENCE = { timeout: 60_000 };

let fixture: PlayerFixture;
let edge: TestEdge;
let shown: PublishedFilm;
const shares = () => createShareStore({ db: fixture.database.db, secretBox: createSecretBox(TEST_SECRET) });

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  edge = await fixture.edges.start({});
  shown = await fixture.publish({ access: { playerTokenRequired: true } });
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
});

type Made = { key: ShareKey; url: string };

async function share(fields: Partial<ShareFields> = {}, film = shown): Promise<Made> {
  const { libraryId, mediaId } = film;
  const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test', ...fields };
  const { id, token } = await shares().create({ libraryId, mediaId }, wanted);
  return { key: { libraryId, mediaId, shareId: id }, url: `${edge.base}/share/${token}` };
}

const open = (url: string) => fetch(url, { redirect: 'manual' });
const statusOf = async (url: string) => (await open(url)).status;

test('the token of the player lasts for the video, but not longer than the share', async () => {
  const endOf = async ({ url }: Made) => {
    const location = (await open(`${url}/player?t=3`)).headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^/embed/${shown.libraryId}/${shown.mediaId}\\?autoplay=false&t=3&token=`));
    expect(await statusOf(`${edge.base}${location}`)).toBe(200);
    return Number(new URL(location, edge.base).searchParams.get('expires'));
  };
  const nowSec = Date.now() / 1000;
  const endSec = await endOf(await share());
  expect(endSec).toBeGreaterThan(nowSec + 600);
  expect(endSec).toBeLessThan(nowSec + 3_600);
  const expiresAt = new Date(Date.now() + 300_000);
  expect(await endOf(await share({ expiresAt }))).toBe(Math.floor(expiresAt.getTime() / 1000));
});

test('the token of the player ends with the share that issued it, and cannot be used without it', async () => {
  const [{ url, key }, other] = [await share(), await share()];
  const playerOf = async (made: Pick<Made, 'url'>) =>
    edge.base + ((await open(`${made.url}/player`)).headers.get('location') ?? '');
  const [player, kept] = [await playerOf({ url }), await playerOf(other)];
  expect(await statusOf(player)).toBe(200);
  expect(await statusOf(player.replace(/&share=[^&]+/, ''))).toBe(403);
  expect(await statusOf(player.replace(/&share=[^&]+/, `&share=${other.key.shareId}`))).toBe(403);
  await shares().remove(key);
  await expect.poll(() => statusOf(player), PATIENCE).toBe(403);
  expect(await statusOf(kept)).toBe(200);
  await shares().update(other.key, { expiresAt: new Date(Date.now() - 1) });
  await expect.poll(() => statusOf(kept), PATIENCE).toBe(403);
});

test('each link on a video page opens one file, and its player loads no media after the share ends', async () => {
  const film = await fixture.publish({ access: { playerTokenRequired: true }, mp4: { enabled: true } });
  const { db } = fixture.database;
  const write = (name: string, text: string) =>
    fixture.edges.storage.write(`${film.libraryId}/${film.mediaId}/${name}`, Buffer.from(text));
  const [key, thumbnail_key] = await Promise.all([write('captions/en-1.vtt', 'WEBVTT\n'), write('t', 'an image')]);
  const captions = JSON.stringify([{ srclang: 'en', label: 'English', version: 1, key, sizeBytes: 7 }]);
  await db.updateTable('media').set({ captions, thumbnail_key }).where('id', '=', film.mediaId).execute();
  const settings = JSON.stringify({ tokenRequired: true });
  await db.updateTable('pull_zone').set({ settings }).where('library_id', '=', film.libraryId).execute();
  const expiresAt = new Date(Date.now() + 600_000);
  const { url } = await share({ allowsDownload: true, expiresAt }, film);
  const text = (await (await open(url)).text()).replaceAll('&amp;', '&');
  const [, preview = ''] = /<meta property="og:image" content="([^"]+)"/.exec(text) ?? [];
  const [, transcript = ''] = /<option value="([^"]+)"/.exec(text) ?? [];
  const locationOf = async (part: string) => (await open(`${url}/${part}`)).headers.get('location') ?? '';
  for (const file of [preview, transcript, await locationOf('download')]) {
    await expectOneFile(new URL(file, edge.base), expiresAt);
  }
  expect(text).not.toContain('token_path');
  const player = await (await open(edge.base + (await locationOf('player')))).text();
  const ends = [...player.matchAll(/token_path=[^/"]+expires=(\d+)/g)].map(([, sec]) => Number(sec));
  expect(ends.length).toBeGreaterThan(0);
  expect(new Set(ends)).toEqual(new Set([Math.floor(expiresAt.getTime() / 1000)]));
});
