import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { captureLog } from '../../test/support/capture-log.ts';
import { TEST_SECRET } from '../../test/support/packager.ts';
import { post } from '../../test/uploads/tus-client.ts';
import { startUploadFixture } from '../../test/uploads/upload-fixture.ts';
import { listen } from '../lib/listen.ts';
import { SecretRing } from '../lib/secret-ring.ts';
import { openTus } from './tus.ts';

test.each([
  ['the configured public URL', 'https://video.example'],
  ['the host of the request without one', null],
])('the location of an upload uses %s', async (_, publicUrl) => {
  const { database, storage, jobs, first, createVideo, stop } = await startUploadFixture();
  const log = captureLog();
  const tus = await openTus(
    { settings: { publicUrl, trustedProxies: [] }, secrets: new SecretRing(TEST_SECRET), database, storage },
    jobs,
  );
  const server = createServer(tus.handle);
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const answer = await post({ url, libraryId: 1, key: first.libraryKey }, await createVideo(), 10);
  expect([answer.status, answer.headers.get('Location')]).toEqual([
    201,
    expect.stringMatching(new RegExp(`^${publicUrl ?? url}/tusupload/[0-9a-f-]{36}$`)),
  ]);
  expect(log.named('upload.failed')).toEqual([]);
  server.close();
  await stop();
});
