import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSpekeKeySource } from '../../src/adapters/drm-key-source/speke-key-source.ts';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createPackager } from '../../src/catalog/drm/packager.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import { createOutbound, type Outbound } from '../../src/lib/outbound/outbound.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { parseCpixAnswer, writeCpixRequest } from '../../src/media/drm/keys/cpix.ts';
import { answerKeys, type KeyServer, startKeyServer } from '../support/key-server.ts';
import { TEST_SECRET } from '../support/packager.ts';
import {
  addLibrary,
  loadMedia,
  loadRenditions,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
let keyServer: KeyServer;
let outbound: Outbound;
let libraryId: number;
let clip: string;

beforeAll(async () => {
  [fixture, keyServer] = await Promise.all([startWorkerFixture(), startKeyServer()]);
  outbound = createOutbound({ allow: ['127.0.0.0/8'] });
  const keySource = createSpekeKeySource({
    url: keyServer.url,
    authorization: null,
    systems: ['playReady'],
    outbound,
    cpix: { write: writeCpixRequest, parse: parseCpixAnswer },
    timeoutMs: 30_000,
  });
  const { db } = fixture.database;
  const packager = createPackager({ db, secretBox: createSecretBox(TEST_SECRET), keySource, scheme: 'cbcs' });
  await fixture.startWorker({ quickSlots: 2, longSlots: 1 }, packager);
  libraryId = await addLibrary(fixture, {
    encoding: { rungs: [240] },
    drm: { enabled: true, version: 'enterprise' },
  });
  clip = await makeClip(fixture, 'clip.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=24:d=2', '-pix_fmt', 'yuv420p');
});
afterAll(async () => {
  await fixture.stop();
  await keyServer.stop();
  await outbound.close();
});

const packagesOf = ({ mediaId }: MediaKey) =>
  fixture.database.db.selectFrom('drm_package').selectAll().where('media_id', '=', mediaId).execute();

test('an upload waits and shows the reason while the key server is down', async () => {
  keyServer.script((_request, response) => response.writeHead(503).end('closed'));
  const key = await upload(fixture, libraryId, clip);
  await until(async () => (await loadMedia(fixture, key)).state_reason?.includes('key server') === true, 'the reason');
  const waiting = await loadMedia(fixture, key);
  expect(waiting).toMatchObject({ state: 'processing', process_tries: 0 });
  expect(waiting.state_reason).toContain('HTTP 503 "closed"');
  expect(await loadRenditions(fixture, key)).toEqual([]);

  keyServer.script(answerKeys);
  // Sends the job like the sweep, which runs every minute.
  await fixture.database.db
    .transaction()
    .execute(fixture.sender.send(processVideo, key, { onlyOneNamed: key.mediaId }));
  await untilState(fixture, key, 'finished');
  const [packaged] = await packagesOf(key);
  expect(packaged?.signals.map(({ system }) => system)).toEqual(['playReady', 'playReady', 'playReady']);
});

test('an upload for which the key server returns no keys fails with the reason', async () => {
  keyServer.script((_request, response) => response.writeHead(401).end());
  const key = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'failed');
  const { messages } = await loadMedia(fixture, key);
  expect(messages.at(-1)?.message).toContain('The DRM key server refused the request with HTTP 401.');
  expect(await packagesOf(key)).toEqual([]);
});
