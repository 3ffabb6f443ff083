import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { checkFinished } from '../jobs/check-video.ts';
import { addLibrary, loadRenditions, startWorkerFixture, type WorkerFixture } from '../jobs/worker-fixture.ts';
import { GROUP_LIMIT_SEC, keyOf, requireFinished, type Source, uploadMany } from './many.ts';
import { fields, keyframes, renditionFiles } from './rendition-file.ts';

const CODECS = ['h264', 'hevc', 'vp9', 'av1'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-b:v', '300k'];

function picture(rate: string, seconds: number, size: string): string[] {
  return ['-f', 'lavfi', '-i', `testsrc=s=${size}:r=${rate}:d=${seconds}`];
}

const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '4'];
const SOURCES: Source[] = [
  { name: 'old.avi', argv: [...picture('24000/1001', 6, '640x128'), ...MPEG4] },
  { name: 'pass.mp4', argv: [...picture('10', 8, '160x120'), ...H264, '-force_key_frames', '0,2.6,5.8'] },
  { name: 'few.avi', argv: [...picture('10', 6, '160x120'), ...MPEG4], options: { enabledCodecs: ['vp9'] } },
];

let fixture: WorkerFixture;
let keys: Map<string, MediaKey>;
beforeAll(async () => {
  fixture = await startWorkerFixture();
  const libraryId = await addLibrary(fixture, { encoding: { rungs: [240, 360], codecs: CODECS } });
  await fixture.startWorker();
  keys = await uploadMany(fixture, libraryId, SOURCES);
}, GROUP_LIMIT_SEC * 1000);
afterAll(() => fixture.stop());

const byText = (a: string, b: string) => a.localeCompare(b);

test('all codecs have the same cuts and frames, in chunks that share one init segment', async () => {
  const key = keyOf(keys, 'old.avi');
  await requireFinished(fixture, key);
  const checked = await checkFinished(fixture, key);
  expect(checked.map(({ rung, frames, segments, warnings }) => ({ rung, frames, segments, warnings }))).toEqual(
    [360, 360, 360, 360, 240, 240, 240, 240].map((rung) => ({ rung, frames: 144, segments: 2, warnings: '' })),
  );
  const cuts = [0, 4.004];
  for (const { row, file } of await renditionFiles(fixture, key)) {
    const found = await keyframes(file);
    for (const cut of cuts) expect(found.some((sec) => Math.abs(sec - cut) < 0.001)).toBe(true);
    expect(found.every((sec, index) => sec - (found[index - 1] ?? sec) < 2.01)).toBe(true);
    const probed = { h264: 'h264,avc1', hevc: 'hevc,hvc1', vp9: 'vp9,vp09', av1: 'av1,av01' }[row.codec];
    expect((await fields(file, 'codec_name', 'codec_tag_string')).join()).toBe(probed);
    expect(await fields(file, 'pix_fmt', 'color_space', 'color_transfer')).toEqual(['yuv420p', 'bt709', 'bt709']);
  }
  const strings = (await loadRenditions(fixture, key)).filter(({ rung }) => rung === 360);
  expect(strings.map(({ codec_string: name }) => name ?? '').toSorted(byText)).toEqual([
    expect.stringMatching(/^av01\.0\.0\dM\.08$/),
    expect.stringMatching(/^avc1\.6400(15|1e)$/),
    expect.stringMatching(/^hvc1\.1\.6\.L6[03]\./),
    expect.stringMatching(/^vp09\.00\.[23]\d\.08$/),
  ]);
});

test('if the source is passed through, each codec has keyframes at the source’s own cuts', async () => {
  const key = keyOf(keys, 'pass.mp4');
  await requireFinished(fixture, key);
  const checked = await checkFinished(fixture, key);
  expect(checked.map(({ origin, rung, frames }) => `${origin} ${rung} ${frames}`).toSorted(byText)).toEqual([
    ...Array<string>(3).fill('encode 240 80'),
    'pass-through 240 80',
  ]);
  for (const { row, file } of await renditionFiles(fixture, key)) {
    const found = await keyframes(file);
    const cuts = [0, 2.6, 5.8];
    expect(
      cuts.filter((cut) => !found.some((sec) => Math.abs(sec - cut) < 0.001)),
      row.codec,
    ).toEqual([]);
  }
});

test('encodes the base codec first, and an upload may request fewer codecs than its library', async () => {
  const key = keyOf(keys, 'few.avi');
  await requireFinished(fixture, key);
  const rows = await loadRenditions(fixture, key);
  expect(rows.map(({ codec }) => codec).toSorted(byText)).toEqual(['h264', 'vp9']);
  const first = await fixture.database.db
    .selectFrom('chunk')
    .innerJoin('rendition', 'rendition.id', 'chunk.rendition_id')
    .select('rendition.codec')
    .where('chunk.media_id', '=', key.mediaId)
    .orderBy('chunk.revision')
    .execute();
  const made = first.map(({ codec }) => codec);
  expect(made.slice(0, made.indexOf('vp9'))).toEqual(made.filter((codec) => codec === 'h264'));
});
