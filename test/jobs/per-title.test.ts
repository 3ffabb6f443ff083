import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { createCodecStore } from '../../src/catalog/lifecycle/codec-store.ts';
import type { UploadOptions } from '../../src/catalog/schema.ts';
import { createVideoViewStore } from '../../src/catalog/videos/video-view-store.ts';
import { planMissingRungs } from '../../src/jobs/planning/plan-codec.ts';
import { checkFinished } from './check-video.ts';
import { addLibrary, type Lab, loadMedia, makeClip, startLab, until, untilState, upload } from './lab.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

const OLD = ['-c:v', 'mpeg4', '-q:v', '3'];
const FLAT = 'color=c=blue:s=854x64:r=25';
const RICH = 'testsrc2=s=854x64:r=25';

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
  await lab.startWorker();
});
afterAll(() => lab.stop());

test.each<{ what: string; picture: string; sec: number; perTitle: boolean; options: UploadOptions; rungs: number[] }>([
  { what: 'flat pictures omit the middle rung', picture: FLAT, sec: 9, perTitle: true, options: {}, rungs: [240, 480] },
  {
    what: 'short flat videos of one chunk omit it too',
    picture: FLAT,
    sec: 2,
    perTitle: true,
    options: {},
    rungs: [240, 480],
  },
  {
    what: 'detailed pictures keep all rungs',
    picture: RICH,
    sec: 5,
    perTitle: true,
    options: {},
    rungs: [240, 360, 480],
  },
  {
    what: 'libraries without the setting keep all rungs',
    picture: FLAT,
    sec: 2,
    perTitle: false,
    options: {},
    rungs: [240, 360, 480],
  },
  {
    what: 'uploads with chosen resolutions keep all rungs',
    picture: FLAT,
    sec: 2,
    perTitle: true,
    options: { enabledRungs: [240, 360, 480] },
    rungs: [240, 360, 480],
  },
])('per-title encoding, $what', async ({ picture, sec, perTitle, options, rungs }) => {
  const libraryId = await addLibrary(lab, { encoding: { rungs: [240, 360, 480], perTitle } });
  const clip = await makeClip(lab, 'title.avi', '-f', 'lavfi', '-i', `${picture}:d=${sec}`, ...OLD);
  const key: MediaKey = await upload(lab, libraryId, clip, options);
  await untilState(lab, key, 'finished');
  const made = await checkFinished(lab, key);
  expect(made.map(({ rung, frames }) => `${rung} ${frames}`)).toEqual(
    rungs.toReversed().map((r) => `${r} ${sec * 25}`),
  );
  expect((await createVideoViewStore(lab.database.db).load(key)).rungs).toEqual(rungs);
  const reported = (await loadMedia(lab, key)).messages.map(({ level, value }) => `${level} ${value}`);
  expect(reported).toEqual(rungs.includes(360) ? [] : ['1 360p']);
  expect(lab.errors).toEqual([]);
});

test('encodes an omitted rung when its codec is requested, and keeps it', async () => {
  const libraryId = await addLibrary(lab, { encoding: { rungs: [240, 360, 480], perTitle: true } });
  const clip = await makeClip(lab, 'after-all.avi', '-f', 'lavfi', '-i', `${FLAT}:d=2`, ...OLD);
  const key: MediaKey = await upload(lab, libraryId, clip);
  await untilState(lab, key, 'finished');
  const rungs = async () => (await createVideoViewStore(lab.database.db).load(key)).rungs;
  expect(await rungs()).toEqual([240, 480]);
  await createCodecStore(lab.database.db).add(key, 'h264', (view) => planMissingRungs('h264', view));
  await until(async () => (await rungs()).length === 3, 'the rung that was left out');
  await untilState(lab, key, 'finished');
  expect(await rungs()).toEqual([240, 360, 480]);
  expect(lab.errors).toEqual([]);
});
