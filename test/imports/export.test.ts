import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNT_KEY, type Service } from '../support/service.ts';
import {
  addThread,
  type ExportFixture,
  expectSame,
  FIRST,
  type Fields,
  listed,
  millrace,
  openExportFixture,
  reviewOf,
  SECOND,
} from './export-fixture.ts';
import { ask } from './import-fixture.ts';

let fixture: ExportFixture;
let source: Service;
const at = (name: string) => fixture.at(name);

beforeAll(async () => {
  fixture = await openExportFixture(Buffer.alloc(0));
  source = fixture.source;
  const { PullZoneId } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  await ask(source, 'POST', `/pullzone/${PullZoneId}`, { ZoneSecurityEnabled: true, BlockNoneReferrer: true });
}, 300_000);
afterAll(() => fixture.close());

test('an import of an export has the same fields, and a second export transfers nothing', async () => {
  // An interrupted export left the beginning of a file.
  const clip = await readFile(at('media/two.mp4'));
  execFileSync('mkdir', [at('out')]);
  await writeFile(at(`out/${SECOND}.media.part`), clip.subarray(0, 1_000));
  const first = await millrace(source, 'export', at('out'));
  expect(first).toEqual({ code: 0, text: '2 exported, 0 unchanged, 0 failed\n' });
  expect(new Set(await readdir(at('out')))).toEqual(
    new Set([
      ...['jpg', 'de.vtt', 'comments.json', 'json', 'mp4'].map((extension) => `${FIRST}.${extension}`),
      ...['json', 'mp4'].map((extension) => `${SECOND}.${extension}`),
      ...['SHA256SUMS', 'collections.json', 'library.json', 'statistics.csv', '.export.json'],
    ]),
  );
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('out') });
  expect(await readFile(at(`out/${SECOND}.mp4`))).toEqual(clip);
  expect((await millrace(source, 'export', at('out'))).text).toBe('0 exported, 2 unchanged, 0 failed\n');

  expect(await millrace(fixture.target, 'import', 'folder', at('out'))).toMatchObject({ code: 0 });
  await expectSame(fixture);
}, 300_000);

test('exports a replaced original again, and removes deleted captions', async () => {
  await ask(source, 'DELETE', `/library/1/videos/${FIRST}/captions/de`);
  const [one] = await listed(source);
  await writeFile(at('out/SHA256SUMS'), `${'0'.repeat(64)}  ${String(one?.guid)}.mp4\n`);
  // The checksum of the other file was not saved, so that file is read again.
  expect((await millrace(source, 'export', at('out'))).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('out') });
  expect(await readdir(at('out'))).not.toContain(`${FIRST}.de.vtt`);
}, 120_000);

test('exports a damaged file again', async () => {
  const name = at(`out/${SECOND}.mp4`);
  const clip = await readFile(name);
  await writeFile(name, clip.subarray(0, 1_000));
  expect((await millrace(source, 'export', at('out'))).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await readFile(name)).toEqual(clip);
  // The size is the same, but one byte is not.
  const damaged = Buffer.from(clip);
  damaged.writeUInt8(damaged.readUInt8(500) ^ 1, 500);
  await writeFile(name, damaged);
  expect((await millrace(source, 'export', at('out'))).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await readFile(name)).toEqual(clip);
}, 120_000);

test('reports videos that cannot be exported with the reason, and exits with 6', async () => {
  const { PullZoneId } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  await ask(source, 'POST', `/pullzone/${PullZoneId}`, { BlockedIps: ['127.0.0.1'] });
  // The edge applies a new rule within a second.
  const run = () => millrace(source, 'export', at('out'));
  await expect.poll(async () => (await run()).code, { timeout: 30_000, interval: 1_000 }).toBe(6);
  const { text } = await run();
  expect(text).toMatch(new RegExp(`^failed\\t${FIRST}\\tThe "first"; one\\t/${FIRST}/[\\w.-]+: HTTP 403\\.$`, 'm'));
  expect(text).toContain('0 exported, 1 unchanged, 1 failed');
}, 120_000);

test('skips videos without usable media with the reason, and exits with 0', async () => {
  const [from, to] = await Promise.all([source, fixture.target].map(makeLibrary));
  const empty = await ask<Fields>(source, 'POST', `/library/${from?.id}/videos`, { title: 'Never uploaded' });
  const failed = await uploadInto(from, 'Unreadable', Buffer.from('This is no video.'));
  await expect.poll(() => statusOf(from, failed), { timeout: 60_000, interval: 500 }).toBe(5);
  const exported = await millrace(source, 'export', at('rest'), '--library', String(from?.id));
  expect(exported).toEqual({ code: 0, text: '1 exported, 0 unchanged, 0 failed, 1 without a file\n' });
  const metadata = JSON.parse(await readFile(at(`rest/${String(empty.guid)}.json`), 'utf8'));
  expect(metadata).toMatchObject({ title: 'Never uploaded', noMediaReason: expect.stringContaining('no upload') });
  for (const _ of [1, 2]) {
    const imported = await millrace(fixture.target, 'import', 'folder', at('rest'), '--library', String(to?.id));
    expect(imported).toMatchObject({ code: 0, text: expect.stringContaining('0 imported, 2 skipped, 0 failed') });
    expect(imported.text).toContain(`skipped\t${String(empty.guid)}\tNever uploaded\t${metadata.noMediaReason}`);
    expect(imported.text).toMatch(new RegExp(`skipped\\t${failed}\\tUnreadable\\tIts file cannot be processed`));
  }
  expect(await statusOf(to, failed)).toBe(5);
}, 300_000);

test('an import from another Millrace has the orders of collections and the review comments', async () => {
  const [from, to] = await Promise.all([source, fixture.target].map(makeLibrary));
  const clip = await readFile(at('media/Talks/one.mp4'));
  const { guid: collectionId } = await ask<Fields>(source, 'POST', `/library/${from?.id}/collections`, {
    name: 'Shelf',
  });
  const videos = [];
  for (const title of ['One', 'Two']) videos.push(await uploadInto(from, title, clip, String(collectionId)));
  const order = { order: 'manual', videoIds: videos.toReversed() };
  await ask(source, 'POST', `/library/${from?.id}/collections/${String(collectionId)}/order`, order);
  await ask(source, 'POST', `/library/${from?.id}/videos/${videos[1]}`, { visibility: 'private' });
  await addThread(source, `/library/${from?.id}/videos/${videos[0]}`);
  for (const video of videos) {
    await expect.poll(() => statusOf(from, video), { timeout: 60_000, interval: 500 }).toBe(4);
  }
  // A library with DRM offers viewers neither the original nor an MP4 file.
  await ask(source, 'POST', `/videolibrary/${from?.id}`, { EnableDRM: true });
  // Without the account key, the URL of the files is derived from a video, because the zone is not in DNS.
  const access = [`apiUrl=${source.apiUrl}`, `accessKey=${from?.key}`, `sourceLibraryId=${from?.id}`];
  const ran = await millrace(fixture.target, 'import', 'millrace', ...access, '--library', String(to?.id));
  expect(ran).toMatchObject({ code: 0, text: expect.stringContaining('3 imported, 0 skipped, 0 failed') });
  for (const video of videos) {
    const { body } = await originalOf(to, video);
    expect(body.equals(clip)).toBe(true);
  }
  const visibilities = videos.map(
    async (video) => (await ask<Fields>(fixture.target, 'GET', `/library/${to?.id}/videos/${video}`)).visibility,
  );
  expect(await Promise.all(visibilities)).toEqual(['public', 'private']);
  const review = await reviewOf(source, from?.id);
  expect(JSON.stringify(review)).toContain('A reply');
  expect(await reviewOf(fixture.target, to?.id)).toEqual(review);
}, 300_000);

type Library = { service: Service; id: number; key: string } | undefined;

async function makeLibrary(service: Service): Promise<NonNullable<Library>> {
  const { Id, ApiKey } = await ask<Fields>(service, 'POST', '/videolibrary', { Name: 'Another' });
  return { service, id: Number(Id), key: String(ApiKey) };
}

async function uploadInto(library: Library, title: string, body: Buffer, collectionId = ''): Promise<string> {
  if (library === undefined) throw new Error('Expected a library.');
  const { service, id, key } = library;
  const { guid } = await ask<Fields>(service, 'POST', `/library/${id}/videos`, { title, collectionId });
  const url = `${service.apiUrl}/library/${id}/videos/${String(guid)}`;
  const sent = await fetch(url, { method: 'PUT', headers: { AccessKey: key }, body: new Uint8Array(body) });
  expect(sent.status).toBe(200);
  return String(guid);
}

async function statusOf(library: Library, guid: string): Promise<unknown> {
  if (library === undefined) throw new Error('Expected a library.');
  const { status } = await ask<Fields>(library.service, 'GET', `/library/${library.id}/videos/${guid}`);
  return status;
}

type Original = { status: number; headers: Headers; body: Buffer };

async function originalOf(library: Library, guid: string, headers: Record<string, string> = {}): Promise<Original> {
  const url = `${library?.service.apiUrl}/library/${library?.id}/videos/${guid}/original`;
  const answer = await fetch(url, { headers: { ...headers, AccessKey: String(library?.key) } });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

test('a download of an original continues where it stopped, but not with another file', async () => {
  const library = await makeLibrary(source);
  const clip = await readFile(at('media/Talks/one.mp4'));
  const guid = await uploadInto(library, 'One', clip);
  const whole = await originalOf(library, guid);
  const etag = String(whole.headers.get('etag'));
  expect([whole.status, whole.body.equals(clip)]).toEqual([200, true]);
  const rest = await originalOf(library, guid, { Range: 'bytes=1000-', 'If-Range': etag });
  expect([rest.status, rest.body.equals(clip.subarray(1000))]).toEqual([206, true]);
  expect(rest.headers.get('content-range')).toBe(`bytes 1000-${clip.length - 1}/${clip.length}`);
  const middle = await originalOf(library, guid, { Range: 'bytes=3-4' });
  expect([middle.status, middle.body]).toEqual([206, clip.subarray(3, 5)]);
  const other = { Range: 'bytes=1000-', 'If-Range': '"other"' };
  expect(await originalOf(library, guid, other)).toMatchObject({ status: 200, body: clip });
  expect((await originalOf(library, guid, { Range: `bytes=${clip.length}-` })).status).toBe(416);
  const url = `${source.apiUrl}/library/${library.id}/videos/${guid}/original?fromByte=1000`;
  const offset = await fetch(url, { headers: { AccessKey: library.key } });
  expect([offset.status, offset.headers.get('content-length')]).toEqual([200, String(clip.length - 1000)]);
}, 120_000);

test('a key that can only read does not get originals', async () => {
  const { ReadOnlyApiKey } = await ask<Fields>(source, 'GET', '/videolibrary/1');
  const url = `${source.apiUrl}/library/1/videos/${SECOND}/original`;
  const refused = await fetch(url, { headers: { AccessKey: String(ReadOnlyApiKey) } });
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('needs write access')]);
  const whole = await fetch(`${url}?fromByte=100`, { headers: { AccessKey: ACCOUNT_KEY } });
  expect(Buffer.from(await whole.arrayBuffer())).toEqual((await readFile(at('media/two.mp4'))).subarray(100));
  const missing = await fetch(url.replace(SECOND, FIRST.replace('0190', '0195')), {
    headers: { AccessKey: ACCOUNT_KEY },
  });
  expect(missing.status).toBe(404);
}, 60_000);
