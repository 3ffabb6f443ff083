import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Millrace } from '../../sdk/src/millrace.ts';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { serve, startOrigin } from '../uploads/origin.ts';
import { at, create, open, post, sign, type TusLibrary } from '../uploads/tus-client.ts';
import { startUploadFixture, type UploadFixture } from '../uploads/upload-fixture.ts';

const PIECE = { 'Content-Type': 'application/offset+octet-stream' };

let fixture: UploadFixture;
let library: TusLibrary;

beforeAll(async () => {
  fixture = await startUploadFixture();
  library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
});
beforeEach(async () => {
  await fixture.empty();
  await limit(null);
});
afterAll(async () => {
  await fixture.stop();
  expect(fixture.faults).toEqual([]);
});

async function limit(bytes: number | null, mode: 'soft' | 'hard' = 'hard'): Promise<void> {
  const storageBytes = bytes === null ? null : { limit: bytes, mode };
  await createQuotaStore(fixture.database.db).change(1, { storageBytes });
}

async function used(): Promise<number> {
  return (await createQuotaStore(fixture.database.db).load(1)).storageBytes.used;
}

async function put(bytes: Uint8Array) {
  const guid = await fixture.createVideo();
  return fixture.call('PUT', `/library/1/videos/${guid}`, { body: bytes });
}

/** Sends a body without a length, in chunks. */
async function putUnknown(chunks: readonly Uint8Array[]): Promise<Response> {
  const guid = await fixture.createVideo();
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const init: RequestInit & { duplex: 'half' } = { method: 'PUT', body, duplex: 'half' };
  return fetch(`${fixture.url}/library/1/videos/${guid}`, { ...init, headers: { AccessKey: library.key } });
}

test('a PUT fits up to the exact limit, and a byte more is refused with the use and the limit', async () => {
  await limit(1_000);
  expect((await put(randomBytes(600))).status).toBe(200);
  const refused = await put(randomBytes(401));
  expect(refused.status).toBe(403);
  expect(refused.headers.get('x-millrace-error')).toBe('quota-reached');
  expect(refused.body).toMatchObject({
    success: false,
    statusCode: 403,
    message:
      'The library uses 600 B of 1 kB of storage (quota storageBytes), and 401 B more would exceed it. ' +
      'Delete videos and empty the trash, or raise the limit.',
  });
  expect((await put(randomBytes(400))).status).toBe(200);
  expect(await used()).toBe(1_000);
  expect((await put(randomBytes(1))).status).toBe(403);
  expect(await fixture.staged()).toEqual([]);
  expect(await fixture.uploads()).toEqual([]);
});

test('the SDK deletes the video that it created if its upload is refused, and keeps one that existed', async () => {
  await limit(1_000);
  const millrace = new Millrace({ url: fixture.url, key: library.key });
  const titles = async () => {
    const { items } = await millrace.call('listVideos', { libraryId: 1 });
    return items.map(({ title }) => title);
  };
  const { guid: videoId } = await millrace.call('createVideo', { libraryId: 1, body: { title: 'Kept' } });
  const file = new Blob([randomBytes(1_001)]);
  for (const made of [{ title: 'Refused' }, { title: 'Refused', videoId }]) {
    await expect(millrace.upload(file, { libraryId: 1, ...made })).rejects.toMatchObject({ code: 'quota-reached' });
  }
  expect(await titles()).toContain('Kept');
  expect(await titles()).not.toContain('Refused');
});

test('a soft limit refuses nothing', async () => {
  await limit(100, 'soft');
  expect((await put(randomBytes(600))).status).toBe(200);
});

test('ten uploads at the same time never exceed the limit together', async () => {
  await limit(1_000);
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await put(randomBytes(300))).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(3);
  expect(statuses.filter((status) => status === 403)).toHaveLength(7);
  expect(await used()).toBe(900);
});

test('ten tus creations at the same time reserve their lengths, and a canceled one frees its own', async () => {
  await limit(1_000);
  const guids = await Promise.all(Array.from({ length: 10 }, () => fixture.createVideo()));
  const answers = await Promise.all(guids.map((guid) => post(library, guid, 300)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = answers.find(({ status }) => status === 403);
  expect(refused?.headers.get('x-millrace-error')).toBe('quota-reached');
  expect(Object(await refused?.json()).message).toContain(
    'uses 900 B of 1 kB of storage (quota storageBytes), and 300 B more',
  );
  const index = answers.findIndex(({ status }) => status === 201);
  const guid = guids[index] ?? '';
  expect((await at(answers[index]?.headers.get('Location') ?? '', sign(library, guid)).remove()).status).toBe(204);
  expect((await post(library, await fixture.createVideo(), 400)).status).toBe(201);
});

test('open uploads of one video reserve at most one file of the maximum size together', async () => {
  await limit(10_000_000_000);
  const guid = await fixture.createVideo();
  const statusOf = async (answer: Promise<Response>) => (await answer).status;
  const first = await open(library, guid, 600_000_000);
  expect(await statusOf(post(library, guid, 400_000_001))).toBe(429);
  expect(await statusOf(post(library, guid, 400_000_000))).toBe(201);
  const late = { 'Upload-Defer-Length': '1' };
  const made = await create(library, guid, { headers: late });
  const deferred = at(made.headers.get('Location') ?? '', sign(library, guid));
  const declare = (bytes: number) => statusOf(deferred.patch(0, randomBytes(1), { 'Upload-Length': String(bytes) }));
  expect(await declare(2)).toBe(429);
  const partial = await create(library, guid, { headers: { ...late, 'Upload-Concat': 'partial' } });
  const part = at(partial.headers.get('Location') ?? '', sign(library, guid));
  expect(await statusOf(post(library, guid, 999_999_999, { 'Upload-Concat': 'partial' }))).toBe(201);
  expect(await statusOf(part.patch(0, randomBytes(1), { 'Upload-Length': '2' }))).toBe(413);
  // Other videos are not affected, and a canceled upload frees its bytes.
  expect(await statusOf(post(library, await fixture.createVideo(), 600_000_000))).toBe(201);
  expect((await first.remove()).status).toBe(204);
  expect(await declare(600_000_000)).toBe(204);
});

test('an upload that was reserved is completed to its last byte, and parts count once', async () => {
  await limit(1_000);
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 1_000);
  expect((await put(randomBytes(1))).status).toBe(403);
  expect((await upload.patch(0, randomBytes(1_000))).status).toBe(204);
  expect(await used()).toBe(1_000);
  await limit(3_000);
  const joined = await fixture.createVideo();
  const parts = await Promise.all(
    [700, 1_300].map(async (bytes) => {
      const answer = await post(library, joined, bytes, { 'Upload-Concat': 'partial' });
      const url = answer.headers.get('Location') ?? '';
      expect((await at(url, sign(library, joined)).patch(0, randomBytes(bytes))).status).toBe(204);
      return url;
    }),
  );
  const final = await create(library, joined, { headers: { 'Upload-Concat': `final;${parts.join(' ')}` } });
  expect(final.status).toBe(201);
  expect(await used()).toBe(3_000);
});

test('a tus upload of deferred length is refused where it passes the limit, before the bytes', async () => {
  await limit(1_000);
  const guid = await fixture.createVideo();
  const made = await create(library, guid, { headers: { 'Upload-Defer-Length': '1' } });
  const upload = at(made.headers.get('Location') ?? '', sign(library, guid));
  expect((await upload.patch(0, randomBytes(700))).status).toBe(204);
  const refused = await upload.patch(700, randomBytes(301));
  expect(refused.status).toBe(403);
  expect(await upload.offset()).toBe(700);
  const declared = await upload.patch(700, randomBytes(1), { 'Upload-Length': '1001' });
  expect(declared.status).toBe(403);
  const last = await upload.patch(700, randomBytes(300), { 'Upload-Length': '1000' });
  expect(last.status).toBe(204);
  expect(await used()).toBe(1_000);
});

test('bodies of unknown length are refused where they pass the limit, and leave nothing behind', async () => {
  await limit(100_000);
  const chunks = (count: number) => Array.from({ length: count }, () => randomBytes(10_000));
  expect((await putUnknown(chunks(11))).status).toBe(403);
  expect(await fixture.uploads()).toEqual([]);
  expect(await used()).toBe(0);
  expect((await putUnknown(chunks(10))).status).toBe(200);
  expect(await used()).toBe(100_000);
  const guid = await fixture.createVideo();
  const made = await create(library, guid, { headers: { 'Upload-Defer-Length': '1', ...PIECE } });
  expect(made.status).toBe(403);
});

test('a fetch is refused by the size that its origin sends', async () => {
  const origin = await startOrigin();
  onTestFinished(() => origin.stop());
  origin.script(serve(randomBytes(2_000)));
  const ask = () => fixture.call('POST', '/library/1/videos/fetch', { body: { url: `${origin.url}/film.mp4` } });
  await limit(1_999);
  const refused = await ask();
  expect(refused.status).toBe(403);
  expect(Object(refused.body).message).toContain('uses 0 B of 1.999 kB of storage (quota storageBytes), and 2 kB more');
  const { videos } = Object(
    await fixture.database.db
      .selectFrom('media')
      .select((eb) => eb.fn.countAll<number>().as('videos'))
      .executeTakeFirst(),
  );
  expect(videos).toBe(0);
  await limit(2_000);
  expect((await ask()).status).toBe(200);
  expect((await put(randomBytes(1))).status).toBe(403);
});

test('the trash counts, and deletion frees at once', async () => {
  await limit(1_000);
  const guid: Guid = await fixture.createVideo();
  await fixture.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(1_000) });
  await sql`update media set state = 'failed' where id = ${guid}`.execute(fixture.database.db);
  expect((await fixture.call('DELETE', `/library/1/videos/${guid}?trash=true`)).status).toBe(200);
  expect(await used()).toBe(1_000);
  expect((await put(randomBytes(1))).status).toBe(403);
  expect((await fixture.call('DELETE', `/library/1/trash/${guid}`)).status).toBe(200);
  expect(await used()).toBe(0);
  expect((await put(randomBytes(1_000))).status).toBe(200);
});

test('a replacement counts until the old file is deleted', async () => {
  const guid = await fixture.createVideo();
  await fixture.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(600) });
  await sql`update media set state = 'finished' where id = ${guid}`.execute(fixture.database.db);
  await limit(1_000);
  expect((await fixture.call('POST', `/library/1/videos/${guid}/replace`)).status).toBe(200);
  const refused = await fixture.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(500) });
  expect(refused.status).toBe(403);
});
