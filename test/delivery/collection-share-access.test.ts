import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCollectionStore } from '../../src/catalog/collections/collection-store.ts';
import { createVideoOrderStore } from '../../src/catalog/collections/video-order-store.ts';
import { createTrashStore } from '../../src/catalog/videos/trash-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { type CourseFixture, LOCKED, openCourseFixture } from './course-fixture.ts';
import { expectOneFile } from './expect-one-file.ts';
import { addVideo } from './publish.ts';

const PASSWORD = 'summer party';
const PATIENCE = { timeout: 60_000 };

let course: CourseFixture;
beforeAll(async () => {
  course = await openCourseFixture();
});
afterAll(() => course.close());

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
const statusOf = async (url: string, init: RequestInit = {}) => (await open(url, init)).status;
const titlesOf = async (url: string) =>
  Object(await (await open(`${url}/list`)).json()).videos.map(({ title }: { title: string }) => title);
const playerOf = async (url: string, id = '') =>
  course.edge.base + ((await open(`${url}/player${id && `?video=${id}`}`)).headers.get('location') ?? '');
const setVideo = (id: Guid | undefined, values: object) =>
  course.fixture.database.db
    .updateTable('media')
    .set(values)
    .where('id', '=', id ?? course.shown.collectionId)
    .execute();

test('the order is by creation, by title, or as arranged, with the rest at the end', async () => {
  const made = await course.makeCourse({}, ['b', 'c', 'a']);
  const { url } = await course.share({}, made);
  const orders = createVideoOrderStore(course.fixture.database.db);
  expect(await titlesOf(url)).toEqual(['b', 'c', 'a']);
  for (const [change, titles] of [
    [{ order: 'newest' }, ['a', 'c', 'b']],
    [{ order: 'title' }, ['a', 'b', 'c']],
    [{ order: 'manual', mediaIds: [made.ids[2], made.ids[0]] }, ['a', 'b', 'c']],
    [{ order: 'manual', mediaIds: [made.ids[1]] }, ['c', 'b', 'a']],
  ] as const) {
    await orders.change(made, change as Parameters<typeof orders.change>[1]);
    await expect.poll(() => titlesOf(url), PATIENCE).toEqual(titles);
  }
});

test('lists only videos that can be played, and shows an empty collection', async () => {
  const made = await course.makeCourse(LOCKED, ['Only']);
  const { url } = await course.share({}, made);
  const waiting = await addVideo(course.fixture.database.db, made.libraryId, 'Not ready');
  await setVideo(waiting.mediaId, { collection_id: made.collectionId });
  expect(await titlesOf(url)).toEqual(['Only']);
  expect(await statusOf(`${url}/player?video=${waiting.mediaId}`)).toBe(503);
  await setVideo(made.ids[0], { collection_id: null });
  await expect.poll(() => titlesOf(url), PATIENCE).toEqual([]);
  expect(await (await open(url)).text()).toContain('There are no videos here yet.');
  expect(await statusOf(`${url}/player`)).toBe(404);
});

test('only videos of the collection can be opened through its share', async () => {
  const other = await course.makeCourse(LOCKED, ['Other']);
  const { url } = await course.share({ allowsDownload: true });
  const foreign = await course.fixture.publish(LOCKED);
  for (const id of [other.ids[0], foreign.mediaId, course.shown.collectionId, 'x', "'", `${course.shown.ids[0]}x`]) {
    for (const part of ['player', 'download']) {
      expect(await statusOf(`${url}/${part}?video=${id}`), `${part} ${id}`).toBe(404);
    }
    // The page shows its first video instead.
    const text = await (await open(`${url}?video=${id}`)).text();
    expect(text).toContain(`src="${new URL(url).pathname}/player?video=${course.shown.ids[0]}"`);
  }
  expect(await statusOf(`${url}/player?video=${course.shown.ids[1]}`)).toBe(303);
});

test('a player token ends within seconds when the video leaves the collection', async () => {
  const made = await course.makeCourse(LOCKED);
  const { url } = await course.share({}, made);
  const [first, second] = [await playerOf(url, made.ids[0]), await playerOf(url, made.ids[1])];
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  // The token is valid for one video only.
  expect(await statusOf(first.replace(made.ids[0] ?? '', made.ids[1] ?? ''))).toBe(403);
  await setVideo(made.ids[0], { collection_id: null });
  await expect.poll(() => statusOf(first), PATIENCE).toBe(403);
  expect(await statusOf(second)).toBe(200);
  expect(await statusOf(`${url}/player?video=${made.ids[0]}`)).toBe(404);
  await createTrashStore(course.fixture.database.db).put({ libraryId: made.libraryId, mediaId: made.ids[1] as Guid });
  await expect.poll(() => statusOf(second), PATIENCE).toBe(404);
});

test.each(['delete', 'expire', 'delete collection'] as const)('player tokens end with the share: %s', async (how) => {
  const made = await course.makeCourse(LOCKED);
  const { url, key } = await course.share({}, made);
  const player = await playerOf(url);
  expect(await statusOf(player)).toBe(200);
  if (how === 'delete') await course.shares.remove(key);
  else if (how === 'expire') await course.shares.update(key, { expiresAt: new Date(Date.now() - 1) });
  else await createCollectionStore(course.fixture.database.db).remove(made);
  await expect.poll(() => statusOf(player), PATIENCE).toBe(403);
  for (const part of ['', '/player', '/list', '/download']) {
    await expect.poll(() => statusOf(url + part), PATIENCE).toBe(how === 'expire' ? 410 : 404);
  }
});

test('shows nothing about the videos before the password', async () => {
  const { url } = await course.share({ password: PASSWORD, allowsDownload: true });
  for (const part of ['', '/player', '/list', '/download', `?video=${course.shown.ids[1]}`]) {
    const answer = await open(url + part);
    const text = await answer.text();
    expect(answer.status).toBe(403);
    const { ids, collectionId } = course.shown;
    for (const secret of ['course', 'One', 'og:', 'oembed', ids[0] ?? '', collectionId, 'vz-']) {
      expect(text, `${part} ${secret}`).not.toContain(secret);
    }
  }
  const sent = await open(url, { method: 'POST', body: new URLSearchParams({ password: PASSWORD }) });
  const cookie = sent.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (const part of ['', '/list']) expect(await statusOf(url + part, { headers: { cookie } })).toBe(200);
  expect(await statusOf(`${url}/player`, { headers: { cookie } })).toBe(303);
  expect(await (await open(url, { headers: { cookie } })).text()).not.toContain('og:');
});

test('each link is signed for one file until the share expires, and rules of referrer and country apply', async () => {
  const settings = { mp4: { enabled: true }, access: { allowedReferrers: ['good.test'], allowDirectPlay: false } };
  const made = await course.makeCourse(settings);
  const { db } = course.fixture.database;
  const zone = (values: object) =>
    db
      .updateTable('pull_zone')
      .set({ settings: JSON.stringify(values) })
      .where('library_id', '=', made.libraryId)
      .execute();
  await zone({ tokenRequired: true });
  const expiresAt = new Date(Date.now() + 600_000);
  const { url } = await course.share({ allowsDownload: true, expiresAt }, made);
  const page = await open(url, { headers: { referer: 'https://good.test/a' } });
  expect(page.status).toBe(200);
  expect(await statusOf(url, { headers: { referer: 'https://bad.test/' } })).toBe(403);
  expect(await statusOf(`${url}/list`, { headers: { referer: 'https://bad.test/' } })).toBe(403);
  const text = (await page.text()).replaceAll('&amp;', '&');
  const [, preview = ''] = /<meta property="og:image" content="([^"]+)"/.exec(text) ?? [];
  const [, thumbnail = ''] = /<img src="([^"]+)"/.exec(text) ?? [];
  const { location = '' } = Object.fromEntries((await open(`${url}/download?video=${made.ids[1]}`)).headers);
  for (const file of [preview, thumbnail, location]) await expectOneFile(new URL(file, course.edge.base), expiresAt);
  expect(text).not.toContain('token_path');
  const abroad = await course.fixture.edges.start({ locator: { locate: () => ({ country: 'FR', asn: '' }) } });
  onTestFinished(() => abroad.close());
  await zone({ blockedCountries: ['FR'] });
  expect(await statusOf(url.replace(course.edge.base, abroad.base))).toBe(403);
});

test('a collection of 600 videos lists 500, and plays the others by their ids', async () => {
  const made = await course.makeCourse(LOCKED, ['Newest']);
  const { db } = course.fixture.database;
  await db
    .insertInto('media')
    .columns(['library_id', 'id', 'type', 'title', 'state', 'collection_id', 'created_at', 'duration_ms', 'frame_rate'])
    .expression((eb) =>
      eb
        .selectFrom(eb.fn<{ n: number }>('generate_series', [eb.lit(1), eb.lit(599)]).as('n'))
        .select((row) => [
          row.val(made.libraryId).as('library_id'),
          row.fn<Guid>('gen_random_uuid', []).as('id'),
          row.val('video' as const).as('type'),
          row.val('Generated').as('title'),
          row.val('finished' as const).as('state'),
          row.val(made.collectionId).as('collection_id'),
          row.val(new Date(0)).as('created_at'),
          row.val(3_000).as('duration_ms'),
          row.val(25).as('frame_rate'),
        ]),
    )
    .execute();
  const { url } = await course.share({}, made);
  expect(await titlesOf(url)).toHaveLength(500);
  expect(await statusOf(`${url}/player?video=${made.ids[0]}`)).toBe(303);
});
