import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Context } from './context.ts';
import { readFolder } from './read-folder.ts';

test('an empty cell of a manifest leaves the title and the collection that the path gives', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'millrace-read-folder-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(path.join(root, 'Talks'));
  await writeFile(path.join(root, 'Talks/two.mp4'), 'x');
  await writeFile(path.join(root, 'manifest.csv'), 'file,title,collectionId,category\nTalks/two.mp4,,,Art\n');
  // The reader needs only these fields of the context.
  const context = { url: 'http://api', library: 1, pairs: {} } as unknown as Context;
  const { collections, videos } = await readFolder(context, root);
  expect(collections).toMatchObject([{ title: 'Talks' }]);
  expect(videos).toMatchObject([{ item: { title: 'two', category: 'Art', collectionId: collections[0]?.guid } }]);
});
