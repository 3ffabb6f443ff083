import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ExportFixture, expectSame, FIRST, millrace, openExportFixture, SECOND } from './export-fixture.ts';
import { ENGINE, type ExportPlace, openExportPlace } from './export-place.ts';
import { ask } from './import-fixture.ts';

/** Size of an empty MP4 box that makes a file larger than one part. */
const PADDING_BYTES = 40 * 2 ** 20;

let fixture: ExportFixture;
let bucket: ExportPlace;
/** Result of the first export, which every test needs. */
let first: Awaited<ReturnType<typeof runExport>>;
beforeAll(async () => {
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  bucket = await openExportPlace();
  fixture = await openExportFixture(padding);
  vi.stubEnv('AWS_ACCESS_KEY_ID', bucket.keys.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucket.keys.secretAccessKey);
  first = await runExport();
}, 300_000);
afterAll(async () => {
  await fixture?.close();
  await bucket?.stop();
});

const runExport = () => millrace(fixture.source, 'export', bucket.url);

test(`writes a library into a bucket, and only once (${ENGINE})`, async () => {
  expect(first).toEqual({ code: 0, text: '2 exported, 0 unchanged, 0 failed\n' });
  const before = await bucket.objects();
  expect(new Set(Object.keys(before))).toEqual(
    new Set([
      ...['jpg', 'de.vtt', 'json', 'comments.json', 'mp4'].map((extension) => `${FIRST}.${extension}`),
      ...['json', 'mp4'].map((extension) => `${SECOND}.${extension}`),
      ...['SHA256SUMS', 'collections.json', 'library.json', 'statistics.csv', '.export.json'],
    ]),
  );
  const original = await readFile(fixture.at('media/two.mp4'));
  expect((await bucket.read(`${SECOND}.mp4`)).equals(original)).toBe(true);
  const sum = createHash('sha256').update(original).digest('hex');
  expect((await bucket.read('SHA256SUMS')).toString()).toContain(`${sum}  ${SECOND}.mp4\n`);
  expect((await runExport()).text).toBe('0 exported, 2 unchanged, 0 failed\n');
  expect(await bucket.objects()).toEqual(before);
}, 120_000);

test('an import of the bucket has the same fields', async () => {
  const { endpoint, name, prefix, keys } = bucket;
  const access = [`accessKey=${keys.accessKeyId}`, `secretKey=${keys.secretAccessKey}`];
  await ask(fixture.source, 'POST', '/videolibrary/1', { PlayerKeyColor: '#778899' });
  await runExport();
  const words = ['import', 's3', `apiUrl=${endpoint}`, `bucket=${name}`, `prefix=${prefix}`, ...access];
  const ran = await millrace(fixture.target, ...words);
  expect(ran).toMatchObject({ code: 0, text: expect.stringMatching(/^setting\tlibrary\.PlayerKeyColor\t.+778899/m) });
  await expectSame(fixture);
  expect(await ask(fixture.target, 'GET', '/videolibrary/1')).toMatchObject({ PlayerKeyColor: '#778899' });
}, 300_000);

test('writes missing and damaged objects again', async () => {
  const whole = await bucket.read(`${SECOND}.mp4`);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(500) ^ 1, 500);
  await bucket.write(`${SECOND}.mp4`, damaged);
  await bucket.remove(`${FIRST}.mp4`);
  await bucket.remove(`${FIRST}.json`);
  expect((await runExport()).text).toBe('2 exported, 0 unchanged, 0 failed\n');
  expect((await bucket.read(`${SECOND}.mp4`)).equals(whole)).toBe(true);
  expect(Object.keys(await bucket.objects())).toEqual(expect.arrayContaining([`${FIRST}.mp4`, `${FIRST}.json`]));
}, 120_000);

test('an interrupted export that saved no checksums continues with the objects that it wrote', async () => {
  const sums = await bucket.read('SHA256SUMS');
  const before = (await bucket.objects())[`${SECOND}.mp4`];
  for (const name of ['SHA256SUMS', '.export.json', `${FIRST}.mp4`]) await bucket.remove(name);
  expect((await runExport()).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await bucket.read('SHA256SUMS')).toEqual(sums);
  expect((await bucket.objects())[`${SECOND}.mp4`]).toBe(before);
}, 120_000);

test.each([
  ['s3://Films', 2, 'expected a folder or s3://BUCKET'],
  ['s3://films/a?endpont=http://127.0.0.1:1', 2, 'expected a folder or s3://BUCKET'],
  ['s3://films/a?endpoint=http://127.0.0.1:1', 5, 'Check bucket, endpoint, region and keys'],
])('explains why %s cannot be used', { timeout: 60_000 }, async (url, code, reason) => {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const ran = await millrace(fixture.source, 'export', url).finally(() => spy.mockRestore());
  expect(ran.code).toBe(code);
  expect(lines.join('')).toContain(reason);
});
