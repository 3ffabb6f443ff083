import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sourceKeyOf } from '../../src/catalog/uploads/source-key.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { at, create, sign, type TusLibrary, type TusUpload } from './tus-client.ts';
import { sha256, startUploadFixture, type UploadFixture } from './upload-fixture.ts';

let fixture: UploadFixture;
let library: TusLibrary;
beforeAll(async () => {
  fixture = await startUploadFixture();
  library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
});
beforeEach(() => fixture.empty());
afterEach(() => expect(fixture.faults).toEqual([]));
afterAll(() => fixture.stop());

const PIECE = { 'Content-Type': 'application/offset+octet-stream' };
const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1) as Guid;
const never = AbortSignal.timeout(600_000);

async function opened(answer: Response, guid: string): Promise<TusUpload> {
  const url = answer.headers.get('Location');
  if (answer.status !== 201 || url === null) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
  return at(url, sign(library, guid));
}

const length = (bytes: number) => ({ 'Upload-Length': String(bytes) });

/** Uploads complete parts, and returns their list of URLs for a final upload. */
async function uploadParts(guid: string, parts: readonly Buffer[]): Promise<{ urls: string[]; concat: string }> {
  const urls: string[] = [];
  for (const body of parts) {
    const headers = { ...PIECE, ...length(body.length), 'Upload-Concat': 'partial' };
    urls.push((await opened(await create(library, guid, { headers, body }), guid)).url);
  }
  return { urls, concat: `final;${urls.map((url) => new URL(url).pathname).join(' ')}` };
}

const joining = (guid: string, concat: string) => create(library, guid, { headers: { 'Upload-Concat': concat } });

test('concatenates parts into one file, in the order that the final upload lists', async () => {
  const guid = await fixture.createVideo();
  const parts = [randomBytes(70_000), randomBytes(40_000), Buffer.alloc(0), randomBytes(1)];
  const { urls, concat } = await uploadParts(guid, parts);
  const head = await at(urls[0] ?? '', sign(library, guid)).head();
  expect(['Upload-Concat', 'Upload-Offset', 'Upload-Length'].map((name) => head.headers.get(name))).toEqual([
    'partial',
    '70000',
    '70000',
  ]);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 0 });
  const metadata = `title ${Buffer.from('Joined').toString('base64')}`;
  const headers = { 'Upload-Concat': concat, 'Upload-Metadata': metadata };
  const final = await opened(await create(library, guid, { headers }), guid);
  const whole = Buffer.concat(parts);
  expect(await fixture.storedSource(guid)).toEqual(whole);
  expect(await fixture.loadVideo(guid)).toMatchObject({ title: 'Joined', status: 1, originalHash: sha256(whole) });
  const told = await final.head();
  const names = ['Upload-Concat', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Defer-Length'];
  expect(names.map((name) => told.headers.get(name))).toEqual([concat, '110001', '110001', metadata, null]);
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], [{ method: 'tus', state: 'complete' }]]);
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
  // Joined parts no longer exist.
  expect((await at(urls[0] ?? '', sign(library, guid)).head()).status).toBe(404);
  expect((await final.patch(0, Buffer.from('x'))).status).toBe(403);
});

test('creating the same final upload again returns the existing one', async () => {
  const guid = await fixture.createVideo();
  const { concat } = await uploadParts(guid, [Buffer.from('one'), Buffer.from('two')]);
  const answers = await Promise.all(Array.from({ length: 12 }, () => joining(guid, concat)));
  answers.push(await joining(guid, concat));
  const locations = answers.filter(({ status }) => status === 201).map(({ headers }) => headers.get('Location'));
  expect(new Set(locations).size).toBe(1);
  for (const { status } of answers) expect([201, 409]).toContain(status);
  expect((await fixture.storedSource(guid)).toString()).toBe('onetwo');
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
});

test('rejects parts that are unfinished, unknown, of another video or not partial uploads', async () => {
  const [guid, other] = [await fixture.createVideo(), await fixture.createVideo()];
  const { urls } = await uploadParts(guid, [Buffer.from('one')]);
  const foreign = await uploadParts(other, [Buffer.from('two')]);
  const partial = { 'Upload-Concat': 'partial' };
  const unfinished = await opened(await create(library, guid, { headers: { ...partial, ...length(5) } }), guid);
  const deferred = await opened(
    await create(library, guid, { headers: { ...partial, 'Upload-Defer-Length': '1' } }),
    guid,
  );
  const whole = await opened(await create(library, guid, { headers: length(5) }), guid);
  const unknown = `${fixture.url}/tusupload/0190163d-8694-739b-aea5-966c26f8ad91`;
  const statuses: number[] = [];
  for (const url of [unfinished.url, deferred.url, whole.url, unknown, foreign.urls[0]]) {
    statuses.push((await joining(guid, `final;${urls[0]} ${url}`)).status);
  }
  expect(statuses).toEqual([400, 400, 404, 404, 404]);
  expect(await at(urls[0] ?? '', sign(library, guid)).offset()).toBe(3);
  expect((await joining(guid, `final;${urls[0]}`)).status).toBe(201);
});

test('counts parts as open uploads of their video, and limits their total size to the maximum file size', async () => {
  const guid = await fixture.createVideo();
  const part = (bytes: number) =>
    create(library, guid, { headers: { 'Upload-Concat': 'partial', ...length(bytes) } }).then(({ status }) => status);
  expect([await part(6e8), await part(6e8), await part(4e8)]).toEqual([201, 413, 201]);
  for (let n = 2; n < 50; n += 1) expect(await part(0)).toBe(201);
  expect(await part(0)).toBe(429);
});

test('terminating parts deletes their bytes', async () => {
  const guid = await fixture.createVideo();
  const { urls, concat } = await uploadParts(guid, [Buffer.from('one'), Buffer.from('two')]);
  for (const url of urls) expect((await at(url, sign(library, guid)).remove()).status).toBe(204);
  expect((await joining(guid, concat)).status).toBe(404);
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]);
});

test('parts that are never concatenated expire at most a week after their creation', async () => {
  const guid = await fixture.createVideo();
  const { urls } = await uploadParts(guid, [Buffer.from('one')]);
  const upload = await opened(await create(library, guid, { headers: length(9) }), guid);
  const { db } = fixture.database;
  const weekAgo = new Date(Date.now() - 7 * 86_400_000 + 60_000);
  await db
    .updateTable('upload')
    .set({ created_at: weekAgo, expires_at: new Date(Date.now() + 30_000) })
    .execute();
  const answer = await upload.patch(0, Buffer.from('1'));
  expect(Date.parse(answer.headers.get('Upload-Expires') ?? '')).toBeLessThanOrEqual(Date.now() + 60_000);
  await db
    .updateTable('upload')
    .set({ expires_at: new Date(0) })
    .execute();
  expect((await at(urls[0] ?? '', sign(library, guid)).head()).status).toBe(404);
  await fixture.sweep();
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]);
});

test.each([
  ['within the second part', 0],
  ['after all parts were copied', 1],
  ['after the file was moved', 2],
])('the next request completes a concatenation whose server died, %s', async (_, step) => {
  const guid = await fixture.createVideo();
  const parts = [randomBytes(9_000), randomBytes(8_000)];
  const whole = Buffer.concat(parts);
  const { urls, concat } = await uploadParts(guid, parts);
  const { db } = fixture.database;
  // Simulates the state after a killed process: the final upload is open, and its copy is incomplete.
  const key = { libraryId: 1, mediaId: guid };
  const final = '0190163d-8694-739b-aea5-966c26f8ad91' as Guid;
  await db
    .insertInto('upload')
    .values({
      id: final,
      library_id: 1,
      media_id: guid,
      method: 'tus',
      concat,
      length_bytes: whole.length,
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  for (const [number, url] of urls.entries()) {
    await db.updateTable('upload').set({ part_of: final, part_number: number }).where('id', '=', idOf(url)).execute();
  }
  const { staging } = fixture.storage;
  const copied = step === 0 ? 12_000 : whole.length;
  await staging.append(final, 0, Readable.from([whole.subarray(0, copied)]), never);
  await staging.abort(idOf(urls[0] ?? ''));
  if (step > 0) await staging.abort(idOf(urls[1] ?? ''));
  if (step > 1) await staging.commit(final, sourceKeyOf(key, final), never);
  const upload = at(`${fixture.url}/tusupload/${final}`, sign(library, guid));
  if (step === 0) expect((await joining(guid, concat)).headers.get('Location')).toBe(upload.url);
  expect(await upload.offset()).toBe(whole.length);
  expect(await fixture.storedSource(guid)).toEqual(whole);
  expect([await fixture.staged(), await fixture.countJobs('process-video', guid)]).toEqual([[], 1]);
});

test('terminating a final upload deletes its parts', async () => {
  const guid = await fixture.createVideo();
  const { urls, concat } = await uploadParts(guid, [Buffer.from('one'), Buffer.from('two')]);
  const { db } = fixture.database;
  const final = '0190163d-8694-739b-aea5-966c26f8ad92' as Guid;
  await db
    .insertInto('upload')
    .values({
      ...{ id: final, library_id: 1, media_id: guid, method: 'tus', concat, length_bytes: 6 },
      expires_at: new Date(Date.now() + 86_400_000),
    })
    .execute();
  await db.updateTable('upload').set({ part_of: final }).where('concat', '=', 'partial').execute();
  expect((await at(urls[0] ?? '', sign(library, guid)).remove()).status).toBe(404);
  expect((await at(`${fixture.url}/tusupload/${final}`, sign(library, guid)).remove()).status).toBe(204);
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]);
});

test.each([
  [
    'in a creation',
    async (guid: string, body: Buffer) => create(library, guid, { headers: { ...PIECE, ...length(9_000) }, body }),
  ],
  [
    'in a first piece',
    async (guid: string, body: Buffer) => {
      const upload = await opened(await create(library, guid, { headers: length(9_000) }), guid);
      return upload.patch(0, body);
    },
  ],
  [
    'in parts',
    async (guid: string, body: Buffer) => {
      const { concat } = await uploadParts(guid, [body, Buffer.from('more')]);
      return joining(guid, concat);
    },
  ],
])('rejects a file that is not media (%s) by its content, and leaves nothing behind', async (_, send) => {
  const guid = await fixture.createVideo();
  const answer = await send(guid, Buffer.from('<!doctype html><title>Sign in</title>'));
  expect([answer.status, Object(await answer.json()).message]).toEqual([
    400,
    'The file is an HTML page; send the bytes of the video or audio file.',
  ]);
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 6 });
});
