import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import { open, post, type TusLibrary } from './tus-client.ts';
import { startUploadFixture, type UploadFixture } from './upload-fixture.ts';

const [CREATED, UPLOADED, UPLOAD_FAILED] = [0, 1, 6];
const PAGE = Buffer.from('<!doctype html><html><head><title>Not a video</title></head><body></body></html>');

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

async function limit(bytes: number | null): Promise<void> {
  const storageBytes = bytes === null ? null : { limit: bytes, mode: 'hard' as const };
  await createQuotaStore(fixture.database.db).change(1, { storageBytes });
}

function fillDisk(): void {
  fixture.storage.freeBytes = 1e9;
}

const put = (guid: string, body: Uint8Array) => fixture.call('PUT', `/library/1/videos/${guid}`, { body });
const statusOf = async (guid: string) => (await fixture.loadVideo(guid)).status;
async function whyOf(guid: string): Promise<string> {
  const { body } = await fixture.call('GET', `/library/1/videos/${guid}/why`);
  const [first] = Object(body).findings;
  expect(first).toMatchObject({ kind: 'upload-failed', level: 'bad', remedy: 'upload' });
  const { body: queue } = await fixture.call('GET', `/library/1/videos/${guid}/queue`);
  expect(Object(queue).message).toBe(first.sentence);
  return first.sentence;
}

test.each([
  ['a file in another format', () => {}, PAGE, 'HTML page'],
  ['an empty file', () => {}, Buffer.alloc(0), 'empty body'],
  ['a file above the quota', () => limit(100), randomBytes(101), 'quota storageBytes'],
  ['a full disk', fillDisk, randomBytes(100), 'remain free'],
])('a PUT that is refused for %s stores the reason until a file is accepted', async (_, prepare, body, reason) => {
  const guid = await fixture.createVideo();
  await prepare();
  expect((await put(guid, body)).status).toBeGreaterThanOrEqual(400);
  expect(await statusOf(guid)).toBe(UPLOAD_FAILED);
  expect(await whyOf(guid)).toMatch(new RegExp(`^Waiting for its file: the last upload failed\\. .*${reason}`, 's'));
  fixture.storage.freeBytes = 100e9;
  await limit(null);
  expect((await put(guid, randomBytes(100))).status).toBe(200);
  expect(await statusOf(guid)).toBe(UPLOADED);
});

test('the reason of the last refusal replaces an earlier one', async () => {
  const guid = await fixture.createVideo();
  await put(guid, PAGE);
  await put(guid, Buffer.alloc(0));
  expect(await whyOf(guid)).toContain('empty body');
});

test('a resumable upload that is refused after its first bytes stores the reason until a new one', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, PAGE.length + 1_000);
  expect(await statusOf(guid)).toBe(CREATED);
  expect((await upload.patch(0, PAGE)).status).toBe(400);
  expect(await whyOf(guid)).toContain('HTML page');
  const other = await open(library, guid, 100);
  expect(await statusOf(guid)).toBe(CREATED);
  expect((await other.patch(0, randomBytes(100))).status).toBe(204);
  expect(await statusOf(guid)).toBe(UPLOADED);
});

test.each([
  ['the quota', () => limit(100), 'quota storageBytes'],
  ['the disk', fillDisk, 'remain free'],
  ['the largest file', () => {}, 'Tus-Max-Size|at most'],
])('a resumable upload that does not fit %s stores the reason', async (name, prepare, reason) => {
  const guid = await fixture.createVideo();
  await prepare();
  const length = name === 'the largest file' ? 2e9 : 200;
  expect((await post(library, guid, length)).status).toBeGreaterThanOrEqual(400);
  expect(await whyOf(guid)).toMatch(new RegExp(reason));
});

test('a mistake in a request of a resumable upload stores nothing', async () => {
  const guid = await fixture.createVideo();
  expect((await post(library, guid, 'many' as never)).status).toBe(400);
  const upload = await open(library, guid, 100);
  expect((await upload.patch('two' as never, randomBytes(100))).status).toBe(400);
  expect(await statusOf(guid)).toBe(CREATED);
  expect((await upload.patch(0, randomBytes(100))).status).toBe(204);
  expect(await statusOf(guid)).toBe(UPLOADED);
});

test('answers with the refusal if its reason cannot be stored', async () => {
  const guid = await fixture.createVideo();
  const { db } = fixture.database;
  await sql`alter table media add constraint no_failed_upload check (state <> 'upload-failed')`.execute(db);
  try {
    expect((await put(guid, PAGE)).status).toBe(400);
    const upload = await open(library, guid, PAGE.length + 1_000);
    expect((await upload.patch(0, PAGE)).status).toBe(400);
  } finally {
    await sql`alter table media drop constraint no_failed_upload`.execute(db);
  }
  expect(await statusOf(guid)).toBe(CREATED);
});

test('a refusal that does not concern the file stores nothing', async () => {
  const guid = await fixture.createVideo();
  const answer = await fixture.call('PUT', `/library/1/videos/${guid}`, { key: 'wrong', body: PAGE });
  expect(answer.status).toBe(401);
  expect((await post({ ...library, key: 'wrong' }, guid, 10)).status).toBe(401);
  expect(await statusOf(guid)).toBe(CREATED);
});

test('a refused file leaves a video that has one unchanged', async () => {
  const guid = await fixture.createVideo();
  expect((await put(guid, randomBytes(100))).status).toBe(200);
  expect((await put(guid, PAGE)).status).toBe(400);
  expect(await statusOf(guid)).toBe(UPLOADED);
});
