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
  await expect(readFolder(context, root)).rejects.toThrow('bad.mp4: expected a number in views, got "many"');
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
