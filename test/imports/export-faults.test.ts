import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { S3Stub } from '../ports/s3-stub.ts';
import { type ExportFixture, type Fields, millrace, openExportFixture, SECOND } from './export-fixture.ts';
import { ENGINE, type ExportPlace, openExportPlace } from './export-place.ts';
import { ask } from './import-fixture.ts';

/** Size of an empty MP4 box that makes a file larger than one part. */
const PADDING_BYTES = 40 * 2 ** 20;
const isReal = ENGINE !== 'scripted engine';
/** More than all retries of one transfer use. */
const MANY = Array.from({ length: 500 }, () => 'reset' as const);

let fixture: ExportFixture;
let bucket: ExportPlace;
let stub: S3Stub;
beforeAll(async () => {
  if (isReal) return;
  const padding = Buffer.alloc(PADDING_BYTES);
  padding.writeUInt32BE(PADDING_BYTES);
  padding.write('free', 4);
  bucket = await openExportPlace();
  if (bucket.stub === null) throw new Error('Expected a scripted engine.');
  ({ stub } = bucket);
  fixture = await openExportFixture(padding);
  vi.stubEnv('AWS_ACCESS_KEY_ID', bucket.keys.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucket.keys.secretAccessKey);
}, 300_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  await fixture?.close();
  await bucket?.stop();
});

async function expectWhole(folder: string): Promise<void> {
  const original = await readFile(fixture.at('media/two.mp4'));
  expect((await bucket.read(`${folder}${SECOND}.mp4`)).equals(original)).toBe(true);
  expect(Object.keys(await bucket.objects(folder))).toEqual(
    expect.arrayContaining(['SHA256SUMS', 'library.json', `${SECOND}.json`]),
  );
}

test.skipIf(isReal)(
  'the export command completes despite single faults of the bucket',
  async () => {
    stub.fail('Part', { status: 503, code: 'SlowDown' }, 'reset', 'lose-answer');
    stub.fail('Put', 'reset', { status: 500, code: 'InternalError' });
    stub.fail('CompleteUpload', 'lose-answer');
    expect(await millrace(fixture.source, 'export', bucket.url)).toMatchObject({ code: 0 });
    await expectWhole('');
  },
  300_000,
);

test.skipIf(isReal)(
  'the export command ends if the bucket fails midway, and continues later',
  async () => {
    await bucket.remove(`${SECOND}.mp4`);
    stub.fail('Part', ...MANY);
    const failed = await millrace(fixture.source, 'export', bucket.url);
    stub.faults.length = 0;
    expect([5, 6]).toContain(failed.code);
    expect(Object.keys(await bucket.objects())).not.toContain(`${SECOND}.mp4`);
    const text = expect.stringContaining('1 exported, 1 unchanged, 0 failed');
    expect(await millrace(fixture.source, 'export', bucket.url)).toMatchObject({ code: 0, text });
    await expectWhole('');
  },
  300_000,
);

test.skipIf(isReal)(
  'an export in the service waits while the bucket fails, and then completes',
  async () => {
    const { endpoint, name, prefix, keys } = bucket;
    const place = { target: 's3', apiUrl: endpoint, bucket: name, prefix: `${prefix}job` };
    const body = { ...place, accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey };
    stub.fail('Part', ...MANY);
    const { guid } = await ask<Fields>(fixture.source, 'POST', '/library/1/exports', body);
    const at = `/library/1/exports/${String(guid)}`;
    const look = () => ask<Fields>(fixture.source, 'GET', at);
    await expect.poll(async () => (await look()).reason, { timeout: 200_000, interval: 500 }).not.toBeNull();
    expect(await look()).toMatchObject({ state: 'running', dateEnded: null });
    stub.faults.length = 0;
    await expect.poll(async () => (await look()).dateEnded, { timeout: 200_000, interval: 500 }).not.toBeNull();
    expect(await look()).toMatchObject({ state: 'finished', counts: { total: 2, failed: 0 } });
    await expectWhole('job/');
  },
  500_000,
);
