import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseS3Url } from '../../src/adapters/storage/s3-bucket.ts';
import { openRealS3 } from '../ports/real-s3.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { type ExportFixture, expectSame, FIRST, millrace, openExportFixture, SECOND } from './export-fixture.ts';

const real = openRealS3();
/** A box of MP4 without content, with which a file needs several parts. */
const PADDING_BYTES = 40 * 2 ** 20;

let fixture: ExportFixture;
let bucket: Awaited<ReturnType<typeof openBucket>>;
beforeAll(async () => {
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  bucket = await openBucket();
  fixture = await openExportFixture(padding);
  vi.stubEnv('AWS_ACCESS_KEY_ID', bucket.keys.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucket.keys.secretAccessKey);
}, 300_000);
afterAll(async () => {
  await fixture.close();
  await bucket.stop();
});

async function openBucket() {
  const started = real === null ? await startStub() : await real.start();
  const { endpoint, name, prefix } = parseS3Url(started.options.url);
  const keys = { accessKeyId: 'id', secretAccessKey: 'key', ...started.options.credentials };
  const client = new S3Client({
    endpoint: endpoint ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: keys,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const place = (key: string) => ({ Bucket: name, Key: `${prefix}${key}` });
  const stop = async () => {
    client.destroy();
    await started.stop();
  };
  const url = `s3://${name}/${prefix}?endpoint=${encodeURIComponent(endpoint ?? '')}`;
  return { client, place, url, endpoint, name, prefix, keys, stop };
}

async function startStub() {
  const stub = await startS3Stub();
  return { options: { url: stub.url, credentials: null }, stop: stub.stop };
}

/** Returns size, ETag and time of each object. */
async function objects(): Promise<Record<string, string>> {
  const { Bucket, Key: Prefix } = bucket.place('');
  const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1_000 }));
  return Object.fromEntries(
    Contents.map(({ Key, Size, ETag, LastModified }) => [
      Key?.slice(Prefix.length),
      `${Size} ${ETag} ${LastModified?.toISOString()}`,
    ]),
  );
}

async function read(key: string): Promise<Buffer> {
  const { Body } = await bucket.client.send(new GetObjectCommand(bucket.place(key)));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

const write = (key: string, Body: Buffer) => bucket.client.send(new PutObjectCommand({ ...bucket.place(key), Body }));
const remove = (key: string) => bucket.client.send(new DeleteObjectCommand(bucket.place(key)));
const runExport = () => millrace(fixture.source, 'export', bucket.url);

test(`writes a library into a bucket, and only once (${real?.name ?? 'scripted engine'})`, async () => {
  expect(await runExport()).toEqual({ code: 0, text: '2 exported, 0 unchanged, 0 failed\n' });
  const before = await objects();
  expect(new Set(Object.keys(before))).toEqual(
    new Set([
      ...['jpg', 'de.vtt', 'json', 'mp4'].map((extension) => `${FIRST}.${extension}`),
      ...['json', 'mp4'].map((extension) => `${SECOND}.${extension}`),
      ...['SHA256SUMS', 'collections.json', 'statistics.csv', '.export.json'],
    ]),
  );
  const original = await readFile(fixture.at('media/two.mp4'));
  expect((await read(`${SECOND}.mp4`)).equals(original)).toBe(true);
  const sum = createHash('sha256').update(original).digest('hex');
  expect((await read('SHA256SUMS')).toString()).toContain(`${sum}  ${SECOND}.mp4\n`);
  expect((await runExport()).text).toBe('0 exported, 2 unchanged, 0 failed\n');
  expect(await objects()).toEqual(before);
}, 120_000);

test('an import of the bucket has the same fields', async () => {
  const { endpoint, name, prefix, keys } = bucket;
  const access = [`accessKey=${keys.accessKeyId}`, `secretKey=${keys.secretAccessKey}`];
  const words = ['import', 's3', `apiUrl=${endpoint}`, `bucket=${name}`, `prefix=${prefix}`, ...access];
  expect(await millrace(fixture.target, ...words)).toMatchObject({ code: 0 });
  await expectSame(fixture);
}, 300_000);

test('writes missing and damaged objects again', async () => {
  const whole = await read(`${SECOND}.mp4`);
  const damaged = Buffer.from(whole);
  damaged.writeUInt8(damaged.readUInt8(500) ^ 1, 500);
  await write(`${SECOND}.mp4`, damaged);
  await remove(`${FIRST}.mp4`);
  await remove(`${FIRST}.json`);
  expect((await runExport()).text).toBe('2 exported, 0 unchanged, 0 failed\n');
  expect((await read(`${SECOND}.mp4`)).equals(whole)).toBe(true);
  expect(Object.keys(await objects())).toEqual(expect.arrayContaining([`${FIRST}.mp4`, `${FIRST}.json`]));
}, 120_000);

test('an interrupted export that saved no checksums continues with the objects that it wrote', async () => {
  const sums = await read('SHA256SUMS');
  const before = (await objects())[`${SECOND}.mp4`];
  for (const name of ['SHA256SUMS', '.export.json', `${FIRST}.mp4`]) await remove(name);
  expect((await runExport()).text).toBe('1 exported, 1 unchanged, 0 failed\n');
  expect(await read('SHA256SUMS')).toEqual(sums);
  expect((await objects())[`${SECOND}.mp4`]).toBe(before);
}, 120_000);

test.each([
  ['s3://Films', 2, 'expected a folder or s3://BUCKET'],
  ['s3://films/a?endpont=http://127.0.0.1:1', 2, 'expected a folder or s3://BUCKET'],
  ['s3://films/a?endpoint=http://127.0.0.1:1', 5, 'Check bucket, endpoint and keys'],
])('explains why %s cannot be used', { timeout: 60_000 }, async (url, code, reason) => {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const ran = await millrace(fixture.source, 'export', url).finally(() => spy.mockRestore());
  expect(ran.code).toBe(code);
  expect(lines.join('')).toContain(reason);
});
