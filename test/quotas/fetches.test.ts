import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import { startOrigin } from '../uploads/origin.ts';
import { startUploadFixture, type UploadFixture } from '../uploads/upload-fixture.ts';

const UPLOAD_FAILED = 6;

let fixture: UploadFixture;
beforeAll(async () => {
  fixture = await startUploadFixture();
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

test('a fetch of unknown length ends where it passes the limit, and its video has the reason', async () => {
  const origin = await startOrigin();
  onTestFinished(() => origin.stop());
  // Without a Content-Length, the response is chunked.
  origin.script((_request, response) => void response.writeHead(200).end(randomBytes(200_000)));
  await createQuotaStore(fixture.database.db).change(1, { storageBytes: { limit: 100_000, mode: 'hard' } });
  const { status, body } = await fixture.call('POST', '/library/1/videos/fetch', {
    body: { url: `${origin.url}/a.mp4` },
  });
  expect(status).toBe(200);
  const guid: string = Object(body).id;
  await vi.waitFor(async () => expect((await fixture.loadVideo(guid)).status).toBe(UPLOAD_FAILED), {
    timeout: 60_000,
    interval: 100,
  });
  const { transcodingMessages } = await fixture.loadVideo(guid);
  expect(JSON.stringify(transcodingMessages)).toContain('uses 0 B of 100 kB of storage (quota storageBytes)');
  await vi.waitFor(async () => expect(await fixture.staged()).toEqual([]), { timeout: 30_000 });
});
