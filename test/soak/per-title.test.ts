import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createCodecStore } from '../../src/catalog/lifecycle/codec-store.ts';
import type { UploadOptions } from '../../src/catalog/schema.ts';
import { createVideoViewStore } from '../../src/catalog/videos/video-view-store.ts';
import { planMissingRungs } from '../../src/jobs/planning/plan-codec.ts';
import { checkFinished } from '../jobs/check-video.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  untilState,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

const OLD = ['-c:v', 'mpeg4', '-q:v', '3'];
const FLAT = 'color=c=blue:s=854x64:r=25';
const RICH = 'testsrc2=s=854x64:r=25';
const ALL = [240, 360, 480];
const OUTER = [240, 480];

let fixture: WorkerFixture;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  await fixture.startWorker();
});
afterAll(() => fixture.stop());

type Case = {
  what: string;
  picture: string;
  sec: number;
  perTitle: boolean;
  options: UploadOptions;
  rungs: number[];
};

/** The last test also encodes flat pictures, so `npm test` leaves out the other cases. */
const CASES: Case[] = [
  { what: 'detailed pictures keep all rungs', picture: RICH, sec: 5, perTitle: true, options: {}, rungs: ALL },
  ...(process.env.MODE === 'soak'
    ? [
        {
          what: 'flat pictures omit the middle rung',
          picture: FLAT,
          sec: 9,
          perTitle: true,
          options: {},
          rungs: OUTER,
        },
        {
          what: 'short flat videos of one chunk omit it too',
          picture: FLAT,
          sec: 2,
          perTitle: true,
          options: {},
          rungs: OUTER,
        },
        {
          what: 'libraries without the setting keep all rungs',
          picture: FLAT,
          sec: 2,
          perTitle: false,
          options: {},
          rungs: ALL,
        },
        {
          what: 'uploads with chosen resolutions keep all rungs',
          picture: FLAT,
          sec: 2,
          perTitle: true,
          options: { enabledRungs: ALL },
          rungs: ALL,
        },
      ]
    : []),
];

test.each(CASES)('per-title encoding, $what', async ({ picture, sec, perTitle, options, rungs }) => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: ALL, perTitle } });
  const clip = await makeClip(fixture, 'title.avi', '-f', 'lavfi', '-i', `${picture}:d=${sec}`, ...OLD);
  const key: MediaKey = await upload(fixture, libraryId, clip, options);
  await untilState(fixture, key, 'finished');
  const made = await checkFinished(fixture, key);
  expect(made.map(({ rung, frames }) => `${rung} ${frames}`)).toEqual(
    rungs.toReversed().map((r) => `${r} ${sec * 25}`),
  );
  expect((await createVideoViewStore(fixture.database.db).load(key)).rungs).toEqual(rungs);
  const reported = (await loadMedia(fixture, key)).messages.map(({ level, value }) => `${level} ${value}`);
  expect(reported).toEqual(rungs.includes(360) ? [] : ['1 360p']);
  expect(fixture.errors).toEqual([]);
});

test('encodes an omitted rung when its codec is requested, and keeps it', async () => {
  const libraryId = await addLibrary(fixture, { encoding: { rungs: ALL, perTitle: true } });
  const clip = await makeClip(fixture, 'after-all.avi', '-f', 'lavfi', '-i', `${FLAT}:d=2`, ...OLD);
  const key: MediaKey = await upload(fixture, libraryId, clip);
  await untilState(fixture, key, 'finished');
  const rungs = async () => (await createVideoViewStore(fixture.database.db).load(key)).rungs;
  expect(await rungs()).toEqual(OUTER);
  await createCodecStore(fixture.database.db).add(key, 'h264', (view) => planMissingRungs('h264', view));
  await until(async () => (await rungs()).length === 3, 'the rung that was left out');
  await untilState(fixture, key, 'finished');
  expect(await rungs()).toEqual(ALL);
  expect(fixture.errors).toEqual([]);
});
