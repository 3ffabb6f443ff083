import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCatalogue } from '../support/leftovers.ts';
import { findProcesses, killAll } from '../support/service-processes.ts';
import {
  type ExportFixture,
  expectSame,
  FIRST,
  type Fields,
  millrace,
  openExportFixture,
  SECOND,
} from './export-fixture.ts';
import { ENGINE, type ExportPlace, openExportPlace } from './export-place.ts';
import { ask } from './import-fixture.ts';

/** Size of an empty MP4 box that makes a transfer with limited bandwidth take seconds. */
const PADDING_BYTES = 40 * 2 ** 20;
const SLOW = { concurrency: 1, bandwidth: 4_000_000 };

type Export = {
  guid: string;
  state: string;
  address: string;
  reason: string | null;
  currentTitle: string | null;
  dateEnded: string | null;
  counts: Record<string, number>;
  problems: Fields[];
};

let fixture: ExportFixture;
let bucket: ExportPlace;
beforeAll(async () => {
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  bucket = await openExportPlace();
  fixture = await openExportFixture(padding);
}, 300_000);
afterAll(async () => {
  await fixture.close();
  await bucket.stop();
});

/** Starts an export into a folder of the bucket. Returns its path. */
async function start(folder: string, more: object = {}, libraryId = 1): Promise<string> {
  const { endpoint, name, prefix, keys } = bucket;
  const access = { accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey };
  const place = { target: 's3', apiUrl: endpoint, bucket: name, prefix: `${prefix}${folder}` };
  const body = { ...place, ...access, ...more };
  const { guid } = await ask<Export>(fixture.source, 'POST', `/library/${libraryId}/exports`, body);
  return `/library/${libraryId}/exports/${guid}`;
}

const look = (at: string) => ask<Export>(fixture.source, 'GET', at);
const resume = (at: string) => ask<Export>(fixture.source, 'POST', `${at}/resume`);

async function until(at: string, done: (report: Export) => boolean): Promise<Export> {
  await expect.poll(async () => done(await look(at)), { timeout: 120_000, interval: 200 }).toBe(true);
  return await look(at);
}

const over = (at: string) => until(at, ({ dateEnded }) => dateEnded !== null);
const inTransfer = (at: string) => until(at, ({ counts }) => Number(counts.sizeBytes) > 2_000_000);

const NAMES = [
  ...['jpg', 'de.vtt', 'comments.json', 'json', 'mp4'].map((extension) => `${FIRST}.${extension}`),
  ...['json', 'mp4'].map((extension) => `${SECOND}.${extension}`),
  ...['SHA256SUMS', 'collections.json', 'library.json', 'statistics.csv', '.export.json'],
];

test(`an import of an export job has the same fields (${ENGINE})`, async () => {
  const at = await start('whole');
  const done = await over(at);
  expect(done).toMatchObject({
    state: 'finished',
    reason: null,
    currentTitle: null,
    counts: { total: 2, exported: 2, unchanged: 0, empty: 0, failed: 0 },
    problems: [],
  });
  expect(done.counts.sizeBytes).toBeGreaterThan(PADDING_BYTES);
  const audit = JSON.stringify(await ask(fixture.source, 'GET', '/videolibrary/1/audit'));
  expect(audit).toContain('createExport');
  expect(JSON.stringify(done) + audit).not.toContain(bucket.keys.secretAccessKey);
  expect(new Set(Object.keys(await bucket.objects('whole/')))).toEqual(new Set(NAMES));
  const original = await readFile(fixture.at('media/two.mp4'));
  expect((await bucket.read(`whole/${SECOND}.mp4`)).equals(original)).toBe(true);
  const sum = createHash('sha256').update(original).digest('hex');
  expect((await bucket.read('whole/SHA256SUMS')).toString()).toContain(`${sum}  ${SECOND}.mp4\n`);

  const { endpoint, name, prefix, keys } = bucket;
  const access = [`accessKey=${keys.accessKeyId}`, `secretKey=${keys.secretAccessKey}`];
  const words = ['import', 's3', `apiUrl=${endpoint}`, `bucket=${name}`, `prefix=${prefix}whole`, ...access];
  expect(await millrace(fixture.target, ...words)).toMatchObject({ code: 0 });
  await expectSame(fixture);
}, 300_000);

test('a second run exports a changed video again, and no other', async () => {
  const at = await start('again');
  await over(at);
  const before = await bucket.objects('again/');
  await resume(at);
  expect(await over(at)).toMatchObject({ state: 'finished', counts: { exported: 0, unchanged: 2 } });
  expect(await bucket.objects('again/')).toEqual(before);

  const replacement = Buffer.concat([await readFile(fixture.at('media/Talks/one.mp4')), Buffer.from('\0\0\0\x08free')]);
  await writeFile(fixture.at('new.mp4'), replacement);
  expect(await millrace(fixture.source, 'replace', FIRST, fixture.at('new.mp4'))).toMatchObject({ code: 0 });
  const hash = createHash('sha256').update(replacement).digest('hex');
  const video = () => ask<Fields>(fixture.source, 'GET', `/library/1/videos/${FIRST}`);
  await expect.poll(video, { timeout: 120_000, interval: 500 }).toMatchObject({ originalHash: hash });
  await resume(at);
  expect(await over(at)).toMatchObject({ state: 'finished', counts: { exported: 1, unchanged: 1 } });
  expect((await bucket.read(`again/${FIRST}.mp4`)).equals(replacement)).toBe(true);
  expect((await bucket.objects('again/'))[`${SECOND}.mp4`]).toBe(before[`${SECOND}.mp4`]);
}, 300_000);

test('an export continues after its worker was killed', async () => {
  const at = await start('killed', SLOW);
  await inTransfer(at);
  killAll(await findProcesses(fixture.source, 'role.ts worker'));
  expect(await over(at)).toMatchObject({ state: 'finished', counts: { total: 2, failed: 0 } });
  expect(new Set(Object.keys(await bucket.objects('killed/')))).toEqual(new Set(NAMES));
  expect((await bucket.read('killed/SHA256SUMS')).toString().split('\n')).toHaveLength(3);
  const original = await readFile(fixture.at('media/two.mp4'));
  expect((await bucket.read(`killed/${SECOND}.mp4`)).equals(original)).toBe(true);
}, 300_000);

test('a cancelled export stops its transfers, and can be resumed', async () => {
  const at = await start('cancelled', SLOW);
  await inTransfer(at);
  await expect(start('another')).rejects.toThrow('Expected at most one running export per library');
  await ask(fixture.source, 'POST', `${at}/cancel`);
  expect(await look(at)).toMatchObject({ state: 'cancelled', reason: null, currentTitle: null });
  await expect.poll(() => bucket.openUploads(), { timeout: 30_000, interval: 200 }).toBe(0);
  expect(Object.keys(await bucket.objects('cancelled/'))).not.toContain(`${SECOND}.mp4`);
  // The limit applies to the export, so the rest takes as long as before.
  await resume(at);
  expect(await over(at)).toMatchObject({ state: 'finished', counts: { failed: 0 } });
  expect(new Set(Object.keys(await bucket.objects('cancelled/')))).toEqual(new Set(NAMES));
}, 300_000);

const CORRECT = 'Check bucket, endpoint, region and keys';

test.skipIf(ENGINE === 'scripted engine')(
  'wrong keys and buckets end an export with the reason',
  async () => {
    const wrongKey = await over(await start('refused', { secretKey: 'wrong' }));
    expect(wrongKey).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(`403 SignatureDoesNotMatch.*${CORRECT}`),
    });
    const noBucket = await over(await start('refused', { bucket: 'nothing-here' }));
    expect(noBucket).toMatchObject({ state: 'failed', reason: expect.stringMatching(`404 NoSuchBucket.*${CORRECT}`) });
  },
  120_000,
);

test('an export does not connect to private addresses', async () => {
  for (const apiUrl of ['http://10.0.0.1:9000', 'http://[::1]:9000']) {
    const refused = await over(await start('private', { apiUrl }));
    expect(refused).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('is not allowed: its address is'),
    });
  }
}, 120_000);

test('an export waits for an endpoint that does not respond', async () => {
  const at = await start('away', { apiUrl: 'http://127.0.0.1:1' });
  const waiting = await until(at, ({ reason }) => reason !== null);
  expect(waiting).toMatchObject({ state: 'running', reason: expect.stringContaining('ECONNREFUSED') });
  await ask(fixture.source, 'POST', `${at}/cancel`);
}, 120_000);

test('writes into a folder only if the operator allows it, and only below it', async () => {
  const body = { target: 'folder', folder: 'june/first' };
  await expect(ask(fixture.target, 'POST', '/library/1/exports', body)).rejects.toThrow('MILLRACE_EXPORT_DIR');
  const outside = ask(fixture.source, 'POST', '/library/1/exports', { ...body, folder: '../june' });
  await expect(outside).rejects.toThrow('Expected folder of letters');
  const { guid } = await ask<Export>(fixture.source, 'POST', '/library/1/exports', body);
  expect(await over(`/library/1/exports/${guid}`)).toMatchObject({ state: 'finished', address: 'june/first' });
  const folder = fixture.at('exports/library-1/june/first');
  expect(new Set(await readdir(folder))).toEqual(new Set(NAMES));
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
}, 120_000);

test('exports the largest MP4 file without an original, and reports videos without either', async () => {
  const { source } = fixture;
  const { Id, ApiKey } = await ask<Fields>(source, 'POST', '/videolibrary', { Name: 'Without originals' });
  const libraryId = Number(Id);
  const settings = `/videolibrary/${libraryId}`;
  await ask(source, 'POST', settings, { KeepOriginalFiles: false, EnableMP4Fallback: true });
  const { guid } = await ask<Fields>(source, 'POST', `/library/${libraryId}/videos`, { title: 'Encoded' });
  const at = `/library/${libraryId}/videos/${String(guid)}`;
  const clip = await readFile(fixture.at('media/Talks/one.mp4'));
  const upload = { method: 'PUT', headers: { AccessKey: String(ApiKey) }, body: clip };
  expect((await fetch(`${source.apiUrl}${at}`, upload)).status).toBe(200);
  const video = () => ask<Fields>(source, 'GET', at);
  await expect.poll(video, { timeout: 120_000, interval: 500 }).toMatchObject({ hasMP4Fallback: true });
  await forgetOriginal(String(guid));
  expect(await video()).toMatchObject({ hasOriginal: false, hasMP4Fallback: true });
  expect(await over(await start('mp4', {}, libraryId))).toMatchObject({ counts: { exported: 1, failed: 0 } });
  const { thumbnailUrl, availableResolutions } = await video();
  const base = String(thumbnailUrl).replace(/[^/]*$/, '');
  const served = await fetch(`${base}play_${String(availableResolutions)}.mp4`);
  expect([served.status, Buffer.from(await served.arrayBuffer())]).toEqual([
    200,
    await bucket.read(`mp4/${String(guid)}.mp4`),
  ]);

  await ask(source, 'POST', settings, { EnableMP4Fallback: false });
  await expect.poll(video, { timeout: 30_000, interval: 500 }).toMatchObject({ hasMP4Fallback: false });
  const reason = 'The library keeps neither originals nor MP4 files of this video.';
  expect(await over(await start('none', {}, libraryId))).toMatchObject({
    state: 'finished',
    counts: { total: 1, exported: 0, failed: 1 },
    problems: [{ guid, title: 'Encoded', reason }],
  });
}, 300_000);

/** Removes the original of a video from the database, as a sweep does after a day. */
async function forgetOriginal(id: string): Promise<void> {
  const database = await openCatalogue(fixture.source);
  try {
    await sql`update media set source_key = null, source_sha256 = null where id = ${id}`.execute(database.db);
  } finally {
    await database.close();
  }
}
