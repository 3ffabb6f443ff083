import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addLibrary,
  loadMedia,
  startWorkerFixture,
  until,
  upload,
  type WorkerFixture,
} from '../jobs/worker-fixture.ts';
import {
  type BarsToMake,
  largestDifference,
  makeBars,
  makeCoding,
  measureColours,
  shownPatches,
} from '../support/colour-error.ts';
import { GROUP_LIMIT_SEC, requireFinished } from './many.ts';
import { fields, renditionFiles } from './rendition-file.ts';

const run = promisify(execFile);
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '8', '-g', '50'];
const HDR10 =
  'log-level=none:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400';
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '4', '-tag:v', 'hvc1', '-x265-params', HDR10];

let fixture: WorkerFixture;
let plain: number;
let wide: number;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  plain = await addLibrary(fixture, { encoding: { rungs: [240, 360] } });
  wide = await addLibrary(fixture, { encoding: { rungs: [240], codecs: ['h264', 'hevc', 'av1'] } });
  await fixture.startWorker();
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

async function finish(libraryId: number, name: string, bars: BarsToMake) {
  const size = { widthPx: 640, heightPx: 360 };
  const key = await upload(fixture, libraryId, await makeBars(path.join(fixture.clips, name), { ...size, ...bars }));
  await until(
    async () => ['finished', 'failed'].includes((await loadMedia(fixture, key)).state),
    name,
    GROUP_LIMIT_SEC,
  );
  await requireFinished(fixture, key);
  return renditionFiles(fixture, key);
}

test.each<[string, BarsToMake]>([
  ['untagged.mp4', { coding: makeCoding({ matrix: 6 }), pixelFormat: 'yuv420p', argv: X264, isTagged: false }],
  ['ntsc.mp4', { coding: makeCoding({ primaries: 6, transfer: 6, matrix: 6 }), pixelFormat: 'yuv420p', argv: X264 }],
  ['full.mp4', { coding: makeCoding({ isFullRange: true }), pixelFormat: 'yuvj420p', argv: X264 }],
])('%s passes through, and its encoded rungs have the same tags and colours', async (name, bars) => {
  const files = await finish(plain, name, bars);
  expect(files.map(({ row }) => row.origin)).toEqual(['pass-through', 'encode']);
  const reference = shownPatches(bars.coding, 8);
  const measured = await Promise.all(files.map(({ file }) => measureColours(file, reference)));
  const [copied, encoded] = measured;
  for (const { coding, largest } of measured) {
    expect(coding).toEqual(bars.coding);
    expect(largest).toBeLessThan(4);
  }
  expect(largestDifference(copied?.patches ?? [], encoded?.patches ?? [])).toBeLessThan(4);
});

test.each<[string, BarsToMake]>([
  ['p3.mp4', { coding: makeCoding({ primaries: 12 }), pixelFormat: 'yuv420p', argv: X264 }],
  ['2020.mp4', { coding: makeCoding({ primaries: 9, transfer: 14, matrix: 9 }), pixelFormat: 'yuv420p', argv: X264 }],
])('%s is not copied: all rungs are BT.709 and have the same colours', async (name, bars) => {
  const files = await finish(plain, name, bars);
  expect(files.map(({ row }) => row.origin)).toEqual(['encode', 'encode']);
  const measured = await Promise.all(files.map(({ file }) => measureColours(file, shownPatches(bars.coding, 8))));
  for (const { coding, largest } of measured) {
    expect(coding).toEqual(makeCoding());
    expect(largest).toBeLessThan(8);
  }
  expect(largestDifference(measured[0]?.patches ?? [], measured[1]?.patches ?? [])).toBeLessThan(4);
});

test('HDR10 keeps its metadata in boxes and samples, and AV1 signals its colours', async () => {
  const coding = makeCoding({ primaries: 9, transfer: 16, matrix: 9 });
  const files = await finish(wide, 'hdr.mp4', { coding, pixelFormat: 'yuv420p10le', argv: X265 });
  for (const codec of ['hevc', 'av1']) {
    const { row, file } = files.find((one) => one.row.codec === codec) ?? {};
    if (row === undefined || file === undefined) throw new Error(`Expected a rendition of ${codec}.`);
    expect(row.init?.includes('mdcv'), codec).toBe(true);
    expect(row.init?.includes('clli'), codec).toBe(true);
    const shown = ['-v', 'error', '-read_intervals', '%+#1', '-show_frames', '-of', 'json'];
    const { stdout } = await run('ffprobe', [...shown, file]);
    expect(stdout, codec).toMatch(/Mastering display metadata/);
    expect(stdout, codec).toMatch(/"max_content": 1000/);
    expect(await fields(file, 'color_transfer', 'color_primaries')).toEqual(['smpte2084', 'bt2020']);
    if (codec === 'av1') expect(row.codec_string).toMatch(/^av01\.0\.\d\dM\.10\.0\.11\d\.09\.16\.09\.0$/);
  }
  const sdr = files.find(({ row }) => row.codec === 'h264');
  expect(sdr?.row.init?.includes('mdcv')).toBe(false);
});
