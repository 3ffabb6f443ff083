import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { requestReencode } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import { sweep } from '../../src/jobs/housekeeping/sweep.ts';
import { processVideo } from '../../src/jobs/planning/process-video.ts';
import type { TestEdge } from '../delivery/start-test-edge.ts';
import { checkFinished } from '../jobs/check-video.ts';
import { loadMedia, makeClip, until, untilState, upload, type Worker } from '../jobs/worker-fixture.ts';
import {
  addOnDemandLibrary,
  fetchFile,
  fillIn,
  findRung,
  type OnDemandFixture,
  PATIENT,
  segmentUrl,
  startOnDemandFixture,
  uploadReady,
} from './on-demand-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: OnDemandFixture;
let edge: TestEdge;
let worker: Worker;
beforeAll(async () => {
  fixture = await startOnDemandFixture();
  edge = await fixture.edgeFixture.start({ storage: fixture.storage, limits: PATIENT });
  worker = await fixture.startWorker({ quickSlots: 4, longSlots: 1 });
});
afterAll(async () => {
  await edge.close();
  await fixture.stop();
});

const clipOf = (name: string) =>
  makeClip(
    fixture,
    name,
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=14', '-f', 'lavfi', '-i', 'anullsrc=r=44100:d=14'],
    ...['-c:v', 'mpeg4', '-q:v', '5', '-g', '20', '-c:a', 'pcm_s16le'],
  );
const reencode = (key: MediaKey) =>
  createVideoStore(fixture.database.db).change(key, requestReencode, fixture.sender.send(processVideo, key));
const messagesOf = async (key: MediaKey) => (await loadMedia(fixture, key)).messages;

test('an on-demand video whose new set fails keeps playing, reports why, and is finished later', async () => {
  const key = await uploadReady(fixture, await addOnDemandLibrary(fixture, [240]), await clipOf('ready.avi'));
  const rung = await findRung(fixture, key, 240);
  // Too little memory for any encoder to start.
  worker.deps.encoderMemoryBytes = 2 ** 20;
  await reencode(key);
  await until(async () => (await messagesOf(key)).some(({ level }) => level === 3), 'the failure to be reported');
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'jit-ready' });
  expect((await messagesOf(key)).at(-1)?.message).toContain('was not changed');
  expect(await findRung(fixture, key, 240)).toBe(rung);
  delete worker.deps.encoderMemoryBytes;
  expect((await fetchFile(segmentUrl(edge, key, rung, 2))).status).toBe(200);
  await fillIn(fixture, key, worker.deps);
  await untilState(fixture, key, 'finished');
  // No row refers to the objects of the abandoned set.
  await sweep.run({}, worker.deps, new AbortController().signal);
  const made = await checkFinished(fixture, key);
  expect(made.map(({ warnings }) => warnings)).toEqual(['', '']);
});

test('a finished video whose original can no longer be read stays finished and reports why', async () => {
  const libraryId = await addOnDemandLibrary(fixture, [240], { jitEnabled: false });
  const key = await upload(fixture, libraryId, await clipOf('finished.avi'));
  await untilState(fixture, key, 'finished');
  const { source_key: sourceKey } = await loadMedia(fixture, key);
  if (sourceKey === null) throw new Error('Expected an original.');
  await fixture.storage.put(sourceKey, Buffer.alloc(5000, 7), {}, new AbortController().signal);
  await reencode(key);
  await until(async () => (await messagesOf(key)).some(({ level }) => level === 3), 'the failure to be reported');
  expect(await loadMedia(fixture, key)).toMatchObject({ state: 'finished', encode_progress: 100 });
  expect((await fetchFile(segmentUrl(edge, key, await findRung(fixture, key, 240), 1))).status).toBe(200);
});
