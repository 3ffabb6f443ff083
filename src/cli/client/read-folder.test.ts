import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Context } from './context.ts';
import { readFolder } from './read-folder.ts';

// The reader needs only these fields of the context.
const context = { url: 'http://api', library: 1, pairs: {} } as unknown as Context;

async function makeRoot(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'millrace-read-folder-'));
  onTestFinished(() => rm(root, { recursive: true }));
  return root;
}

test('an empty cell of a manifest leaves the title and the collection that the path gives', async () => {
  const root = await makeRoot();
  await mkdir(path.join(root, 'Talks'));
  await writeFile(path.join(root, 'Talks/two.mp4'), 'x');
  await writeFile(path.join(root, 'manifest.csv'), 'file,title,collectionId,category\nTalks/two.mp4,,,Art\n');
  const { collections, videos } = await readFolder(context, root);
  expect(collections).toMatchObject([{ title: 'Talks' }]);
  expect(videos).toMatchObject([{ item: { title: 'two', category: 'Art', collectionId: collections[0]?.guid } }]);
});

test('a wrong value is reported with the file that it describes', async () => {
  const root = await makeRoot();
  await writeFile(path.join(root, 'good.mp4'), 'x');
  await writeFile(path.join(root, 'bad.mp4'), 'x');
  await writeFile(path.join(root, 'bad.json'), '{"views": "many"}');
  const { videos, faults } = await readFolder(context, root);
  expect(videos.map(({ item }) => [item.title, item.views])).toEqual([
    ['bad', undefined],
    ['good', undefined],
  ]);
  expect(faults).toEqual([
    'bad.json: expected a number in views, got "many". Correct it. bad.mp4 is imported without this value.',
  ]);
});

test('wrong values are left out and named with their file, and only wrong entries of lists', async () => {
  const root = await makeRoot();
  await writeFile(path.join(root, 'a.mp4'), 'x');
  const chapters = [{ title: 'One', start: 0, end: 5 }, 'Two', { start: 5, end: 9 }, { title: 'Four', start: 'late' }];
  const times = { dateUploaded: 'yesterday', thumbnailTime: -1, views: 1.5, collectionId: 'shelf' };
  const fields = { title: 'Kept', guid: 7, visibility: 'pubic', chapters, ...times };
  await writeFile(path.join(root, 'a.json'), JSON.stringify(fields));
  await writeFile(path.join(root, 'a.comments.json'), '[{"text": 5}]');
  const { videos, faults } = await readFolder(context, root);
  expect(videos).toHaveLength(1);
  const item: Record<string, unknown> = { ...videos[0]?.item };
  expect(item).toMatchObject({ title: 'Kept', visibility: 'private', comments: [] });
  expect(item.chapters).toEqual([chapters[0], chapters[2]]);
  expect(Object.keys(item)).not.toEqual(expect.arrayContaining(['dateUploaded']));
  for (const name of ['dateUploaded', 'thumbnailTime', 'views', 'collectionId']) expect(item).not.toHaveProperty(name);
  for (const part of ['guid', 'visibility', 'chapters.1', 'chapters.3.start', 'dateUploaded', 'thumbnailTime']) {
    expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^a\\.json: .*${part}`)));
  }
  expect(faults).toContainEqual(expect.stringMatching(/^a\.comments\.json: .*comments\.0/));
});

test('a video whose sidecar is not JSON is left out, because it may be private, and the others are found', async () => {
  const root = await makeRoot();
  for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) await writeFile(path.join(root, name), 'x');
  await writeFile(path.join(root, 'a.json'), '{\n "views": 1,\n "title": "A" "B"\n}');
  await writeFile(path.join(root, 'b.comments.json'), '[');
  const { videos, faults } = await readFolder(context, root);
  expect(videos.map(({ item }) => item.title)).toEqual(['b', 'c']);
  expect(faults).toEqual([
    'expected JSON in a.json (line 3). Correct the file. a.mp4 is not imported.',
    expect.stringMatching(
      /^expected JSON in b\.comments\.json .* The review comments of its video are not imported\.$/,
    ),
  ]);
});

test('sidecars belong to the medium with their whole name', async () => {
  const root = await makeRoot();
  for (const name of ['a.v2.mp4', 'a.v2.de.vtt', 'a.mp4', 'a.fr.vtt', 'ab.en.vtt']) {
    await writeFile(path.join(root, name), 'x');
  }
  const { videos } = await readFolder(context, root);
  const found = videos.map(({ path: file, captions }) => [path.basename(file), captions.map(({ srclang }) => srclang)]);
  expect(found).toEqual([
    ['a.mp4', ['fr', 'v2.de']],
    ['a.v2.mp4', ['de']],
  ]);
});
