import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { addLibrary, type Lab, loadMedia, makeClip, startLab, until, upload } from './lab.ts';

// Timeout that only a hang exceeds. Other suites share the CPUs.
vi.setConfig({ testTimeout: 200_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.stop());

test("a library's single upload does not wait behind many uploads of another library, at any stage", async () => {
  const settings = { encoding: { rungs: [240] } };
  const [full, small] = [await addLibrary(lab, settings), await addLibrary(lab, settings)];
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=10:d=9'];
  const clip = await makeClip(lab, 'short.avi', ...picture, '-c:v', 'mpeg4', '-q:v', '5');
  const many: MediaKey[] = [];
  for (let n = 0; n < 8; n += 1) many.push(await upload(lab, full, clip));
  const one = await upload(lab, small, clip);
  const isFinished = async (key: MediaKey) => (await loadMedia(lab, key)).state === 'finished';
  await lab.startWorker({ quickSlots: 1, longSlots: 1 });
  await until(() => isFinished(one), 'the single upload to be finished');
  const before = await Promise.all(many.map(isFinished));
  expect(before.filter((finished) => finished).length).toBeLessThan(4);
  await until(
    async () => (await Promise.all(many.map(isFinished))).every((finished) => finished),
    'all to be finished',
  );
  expect(lab.errors).toEqual([]);
});
