import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Context } from './context.ts';
import { readTakeout } from './read-takeout.ts';

const LONG = 'A very long title: with a colon, “quotes” and many more words than fit';
const PARTY = '🎉'.repeat(25);
const HEAD = [
  ...['Video ID', 'Approx Duration (ms)', 'Video Audio Language', 'Video Category', 'Video Description (Original)'],
  ...['Video Title (Original)', 'Privacy', 'Video State', 'Video Create Timestamp', 'Video Publish Timestamp'],
].join(',');

let root: string;
const base = 'Takeout/YouTube and YouTube Music';
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'millrace-takeout-'));
  const write = async (name: string, text: string) => {
    const file = path.join(root, base, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const date = '2020-01-02T03:04:05+00:00';
  const row = (id: string, title: string, privacy: string) =>
    `${id},2000,en,Education,"Two\nlines","${title.replaceAll('"', '""')}",${privacy},Processed,${date},`;
  await write(
    'video metadata/videos.csv',
    `${HEAD}\n${row('id-1', LONG, 'Public')}\n${row('id-2', 'Same', 'Private')}\n`,
  );
  await write(
    'video metadata/videos(1).csv',
    `\uFEFF${HEAD}\n${row('id-3', 'Same', 'Unlisted')}\n${row('id-4', 'Same but longer', 'Public')}\n` +
      `${row('id-5', 'Gone', 'Public')}\n`,
  );
  await write(
    'playlists/Best of-videos.csv',
    'Video ID,Playlist Video Creation Timestamp\nid-1,2020-01-01\n id-9,2020\n',
  );
  await write('playlists/Later-videos.csv', 'Video ID,Playlist Video Creation Timestamp\nid-1,2020-01-01\n');
  await write('playlists/playlists.csv', 'Playlist ID,Playlist Title (Original)\npl-1,Best of\n');
  await write('videos/A very long title_ with a colon, _quotes_ and m.mp4', 'x');
  await write('videos/A very long title_ with a colon, _quotes_ and m.de.srt', 'x');
  await write('videos/Same.mp4', 'x');
  await write('videos/Same(1).mp4', 'x');
  await write('videos/Same but longer.mp4', 'x');
  await write('videos/Unknown.mp4', 'x');
  await write(`videos/${PARTY}.mp4`, 'x');
});
afterAll(() => rm(root, { recursive: true }));

test('matches shortened and repeated file names with rows of the tables, and keeps playlists', async () => {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  // The reader needs only these fields of the context.
  const context = { url: 'http://api', library: 1, pairs: {} } as unknown as Context;
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const { collections, videos } = await readTakeout(context, root);
  spy.mockRestore();
  expect(normalize.mock.contexts.filter((text) => String(text) === LONG).length).toBe(1);
  normalize.mockRestore();
  expect(collections).toMatchObject([{ title: 'Best of' }]);
  const byFile = new Map(videos.map((video) => [path.basename(video.path), video]));
  const long = byFile.get('A very long title_ with a colon, _quotes_ and m.mp4');
  expect(long?.item).toMatchObject({
    sourceId: 'youtube id-1',
    title: LONG,
    description: 'Two\nlines',
    category: 'Education',
    isPublic: true,
    dateUploaded: '2020-01-02T03:04:05+00:00',
    collectionId: collections[0]?.guid,
    metaTags: [{ property: 'youtubeId', value: 'id-1' }],
  });
  expect(long?.captions).toMatchObject([{ srclang: 'de' }]);
  const idsOf = (...names: string[]) => names.map((name) => byFile.get(name)?.item.sourceId);
  expect(new Set(idsOf('Same.mp4', 'Same(1).mp4'))).toEqual(new Set(['youtube id-2', 'youtube id-3']));
  const isPublic = new Map(videos.map(({ item }) => [item.sourceId, item.isPublic]));
  // Private and unlisted videos stay hidden.
  expect(['id-1', 'id-2', 'id-3', 'id-4'].map((id) => isPublic.get(`youtube ${id}`))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(idsOf('Same but longer.mp4')).toEqual(['youtube id-4']);
  expect(byFile.get('Unknown.mp4')?.item).toMatchObject({ title: 'Unknown', sourceId: 'takeout Unknown.mp4' });
  // Nothing of this name can be compared.
  expect(byFile.get(`${PARTY}.mp4`)?.item).toMatchObject({ sourceId: `takeout ${PARTY}.mp4` });
  expect(lines.join('')).toMatch(/Unknown\.mp4: no row of the tables/);
  expect(lines.join('')).toMatch(/id-1: the playlist Later is not imported/);
});
