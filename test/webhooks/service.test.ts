import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ACCOUNT_KEY, discard, type Service, startService } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

let service: Service;
let receiver: Receiver;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.script(status(200));
  service = await startService(null, { MILLRACE_OUTBOUND_ALLOW: '127.0.0.1/32' });
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-hooks-'));
});
afterAll(async () => {
  await receiver.stop();
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

test('the running service announces each step of a video once, in order', async () => {
  const answer = await fetch(`${service.apiUrl}/videolibrary/1`, {
    method: 'POST',
    headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ WebhookUrl: `${receiver.url}/hook`, EnabledResolutions: '240p' }),
  });
  expect(answer.status).toBe(200);
  const clip = path.join(folder, 'clip.avi');
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=2', '-c:v', 'mpeg4', clip];
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', ...source]);
  const guid = await createVideo(service, 'Told');
  expect((await uploadFile(service, guid, clip)).status).toBe(200);
  await untilVideo(service, guid, (video) => video.status === FINISHED);
  const reported = () => receiver.arrivals.map(({ body }) => JSON.parse(body));
  await vi.waitFor(() => expect(reported().at(-1)).toMatchObject({ Status: 3 }), { timeout: 30_000 });
  expect(reported()).toEqual([0, 1, 2, 4, 3].map((step) => ({ VideoLibraryId: 1, VideoGuid: guid, Status: step })));
  await vi.waitFor(
    async () =>
      expect(await call(service, 'GET', '/library/1/webhooks?state=delivered')).toMatchObject({ totalItems: 5 }),
    { timeout: 30_000 },
  );
});
