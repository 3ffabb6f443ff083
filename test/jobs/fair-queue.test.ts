import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import {
  addLibrary,
  loadMedia,
  makeClip,
  startWorkerFixture,
  until,
  upload,
  type WorkerFixture,
} from './worker-fixture.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let fixture: WorkerFixture;
beforeAll(async () => {
  fixture = await startWorkerFixture();
});
afterAll(() => fixture.stop());

test("a library's single upload does not wait behind many uploads of another library, at any stage", async () => {
  const settings = { encoding: { rungs: [240] } };
  const [full, small] = [await addLibrary(fixture, settings), await addLibrary(fixture, settings)];
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=9'];
  const clip = await makeClip(fixture, 'short.avi', ...picture, '-c:v', 'mpeg4', '-q:v', '5');
  const many: MediaKey[] = [];
  for (let n = 0; n < 8; n += 1) many.push(await upload(fixture, full, clip));
  const one = await upload(fixture, small, clip);
  const isFinished = async (key: MediaKey) => (await loadMedia(fixture, key)).state === 'finished';
  await fixture.startWorker({ quickSlots: 1, longSlots: 1 });
  await until(() => isFinished(one), 'the single upload to be finished');
  const before = await Promise.all(many.map(isFinished));
  expect(before.filter((finished) => finished).length).toBeLessThan(4);
  await until(
    async () => (await Promise.all(many.map(isFinished))).every((finished) => finished),
    'all to be finished',
  );
  expect(fixture.errors).toEqual([]);
});
