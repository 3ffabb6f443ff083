import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { bumpPublication } from '../../src/catalog/db.ts';
import { imageKey } from '../../src/catalog/images/image-key.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { PREVIEW_NAMES } from '../../src/media/images/plan-previews.ts';
import { planStoryboard } from '../../src/media/images/storyboard.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { addLibrary, addVideo } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

const FILES: [string, string][] = [
  ['thumbnail_1.jpg', 'image/jpeg'],
  ['thumbnail_5.jpg', 'image/jpeg'],
  ['seek/_0.jpg', 'image/jpeg'],
  ['seek/_1.jpg', 'image/jpeg'],
  ['preview.webp', 'image/webp'],
  ['preview.gif', 'image/gif'],
  ['preview_hq.webm', 'video/webm'],
  ['preview_hq.mp4', 'video/mp4'],
];

let database: TestDatabase;
let fixture: EdgeFixture;
let edge: TestEdge;
let key: MediaKey;
let folder: string;
beforeAll(async () => {
  database = await startTestDatabase();
  fixture = await createEdgeFixture(database);
  edge = await fixture.start();
  const libraryId = await addLibrary(database.db);
  key = await addVideo(database.db, libraryId);
  folder = `${edge.base}/vz-${libraryId}/${key.mediaId}`;
});
afterAll(async () => {
  await edge.close();
  await fixture.close();
  await database.stop();
});

const statusOf = async (file: string) => (await fetch(`${folder}/${file}`)).status;

test('images return 404 before they exist', async () => {
  const names = [...FILES.map(([name]) => name), 'seek/thumbnails.vtt'];
  expect(await Promise.all(names.map(statusOf))).toEqual(names.map(() => 404));
});

test('images have a content type and an ETag, and are available to pages of any origin', async () => {
  const set = {
    timelineId: newGuid(),
    folder: 'one-1',
    board: planStoryboard({ widthPx: 16, heightPx: 9 }, 80_000),
    posters: 5,
    previews: PREVIEW_NAMES,
    sheetFolders: [{ first: 0, end: 1, folder: 'before-1' }],
  };
  for (const [name] of FILES) {
    const object = imageKey(key, set, name);
    expect(object).toContain(name === 'seek/_0.jpg' ? '/before-1/' : '/one-1/');
    await fixture.storage.write(object, Buffer.from(`This is ${name}.`));
  }
  await database.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('media')
      .set({ images: JSON.stringify(set) })
      .where('id', '=', key.mediaId)
      .execute();
    await bumpPublication(tx, key);
  });
  await expect.poll(() => statusOf('preview.webp')).toBe(200);
  for (const [name, type] of FILES) {
    const answer = await fetch(`${folder}/${name}`, { headers: { Origin: 'https://any.test' } });
    expect([answer.status, await answer.text()]).toEqual([200, `This is ${name}.`]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=5, stale-if-error=86400',
      'accept-ranges': 'bytes',
    });
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(`${folder}/${name}`, { headers: { 'If-None-Match': etag } });
    expect([etag !== '', again.status]).toEqual([true, 304]);
    const part = await fetch(`${folder}/${name}`, { headers: { Range: 'bytes=5-6' } });
    expect([part.status, await part.text()]).toEqual([206, 'is']);
  }
});

test('the WebVTT storyboard refers to sheets in its own folder, so that a path token covers them', async () => {
  const answer = await fetch(`${folder}/seek/thumbnails.vtt`);
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  const addresses = [...text.matchAll(/^(_\S+)#/gm)].map(([, address = '']) => new URL(address, answer.url).href);
  expect(addresses).toHaveLength(40);
  expect([...new Set(addresses)]).toEqual([`${folder}/seek/_0.jpg`, `${folder}/seek/_1.jpg`]);
  expect((await fetch(answer.url, { headers: { 'If-None-Match': answer.headers.get('etag') ?? '' } })).status).toBe(
    304,
  );
});

test.each([
  'thumbnail_6.jpg',
  'thumbnail_0.jpg',
  'seek/_2.jpg',
  'seek/_00.jpg',
  'seek/0.jpg',
  'seek/preview.webp',
  'seek_0.jpg',
  'preview.mp4',
  'preview_hq.gif',
  'pictures/one-1/preview.webp',
  'seek/..%2fpreview.webp',
])('returns 404 for %s', async (name) => {
  expect(await statusOf(name)).toBe(404);
});
