import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../../test/support/media/run-clip.ts';
import { visualEntry } from '../../bmff/sample-entry.ts';
import type { LadderOptions } from '../../encode/ladder.ts';
import { FIRST_OUTPUT_FD } from '../../ffmpeg/ffmpeg-plan.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';
import { describePlaybackLimit } from '../tracks/playback-limit.ts';
import { ladderArgv, planLiveLadder } from './ladder-plan.ts';

const run = promisify(execFile);
const SIZE = { widthPx: 1280, heightPx: 720 };
const OPTIONS = { allowedRungs: [240, 360, 480, 720] } as const;

function track(type: string, box: string, record: readonly number[]): TrackConfig {
  const body = Buffer.from(record);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(box, 4, 'latin1');
  const sampleEntry = visualEntry(type, SIZE, Buffer.concat([head, body]));
  return { kind: 'video', timescale: 90_000, sampleEntry, ...SIZE, frameRate: 30, frameTicks: 0, silence: null };
}

const hvcC = (depth: number) => [1, 2, ...Array<number>(15).fill(0), 0xf8 | (depth - 8)];

test.each([
  ['H.264 High', track('avc1', 'avcC', [1, 100, 0, 31]), [480, 360, 240]],
  ['H.264 High 10', track('avc1', 'avcC', [1, 110, 0, 31]), []],
  ['HEVC, 8 bits', track('hvc1', 'hvcC', hvcC(8)), [480, 360, 240]],
  ['HEVC, 10 bits', track('hvc1', 'hvcC', hvcC(10)), []],
  ['AV1, 8 bits', track('av01', 'av1C', [0x81, 0, 0x0c, 0]), [480, 360, 240]],
  ['AV1, 10 bits', track('av01', 'av1C', [0x81, 0, 0x4c, 0]), []],
])('%s has rungs if they can show the same colours, else a reason', (_, source, expected) => {
  expect(planLiveLadder(source, OPTIONS).rungs.map(({ rung }) => rung)).toEqual(expected);
  const hasReason = /no smaller resolutions/.test(describePlaybackLimit(source) ?? '');
  // A configuration record without parameter sets does not contain the bit depth.
  if (source.sampleEntry.toString('latin1', 4, 8) !== 'avc1') expect(hasReason).toBe(expected.length === 0);
});

test.each([
  ['PAL', 'yuv420p', ['bt470bg', 'bt470bg', 'smpte170m', 'tv'], 'tv,bt470bg,smpte170m,bt470bg'],
  ['full range', 'yuvj420p', ['bt709', 'bt709', 'bt709', 'pc'], 'tv,bt709,bt709,bt709'],
  ['Display P3', 'yuv420p', ['bt709', 'smpte432', 'bt709', 'tv'], 'tv,bt709,bt709,smpte432'],
])('the rungs of a %s source have its colours, in limited range', async (_, pixelFormat, tags, expected) => {
  const { dir, remove } = await makeFolder();
  try {
    const [space = '', primaries = '', transfer = '', range = ''] = tags;
    const [source, rung] = [join(dir, 'source.mkv'), join(dir, 'rung.flv')];
    const colours = [
      '-colorspace',
      space,
      '-color_primaries',
      primaries,
      '-color_trc',
      transfer,
      '-color_range',
      range,
    ];
    const picture = ['-f', 'lavfi', '-i', 'color=white:s=640x360:r=10:d=1', '-pix_fmt', pixelFormat];
    const argv = ['-nostdin', '-v', 'error', ...picture, '-c:v', 'libx264', '-preset', 'ultrafast', ...colours, source];
    await run('ffmpeg', argv);
    const { rungs } = planLiveLadder({ ...track('avc1', 'avcC', [1, 100, 0, 31]), ...SIZE }, { allowedRungs: [240] });
    const output = `pipe:${FIRST_OUTPUT_FD - 1}`;
    const places: Readonly<Record<string, string>> = { [output]: rung, 'pipe:0': source };
    const ladder = ladderArgv(track('avc1', 'avcC', [1, 100, 0, 31]), rungs, null).map((word) => places[word] ?? word);
    await run(
      'ffmpeg',
      ladder.map((word) => (word === 'pipe' ? 'file,pipe' : word)),
    );
    const fields = ['-show_entries', 'stream=color_range,color_space,color_transfer,color_primaries'];
    const { stdout } = await run('ffprobe', ['-v', 'error', ...fields, '-of', 'csv=p=0', rung]);
    expect(stdout.trim()).toBe(expected);
    const grey = ['-frames:v', '1', '-vf', 'scale=1:1,format=gray', '-f', 'rawvideo', '-'];
    const shown = await run('ffmpeg', ['-nostdin', '-v', 'error', '-i', rung, ...grey], { encoding: 'buffer' });
    expect(shown.stdout[0]).toBeGreaterThan(250);
  } finally {
    await remove();
  }
});

test('caps a rung by the bit rate of its source, but not below a third of the usual cap', () => {
  const source = track('avc1', 'avcC', [1, 100, 0, 31]);
  const capsOf = (bps: number) => planLiveLadder(source, OPTIONS, bps).rungs.map(({ maxBitrateBps }) => maxBitrateBps);
  const usual = [1_400_000, 800_000, 600_000];
  expect(capsOf(0)).toEqual(usual);
  expect(capsOf(20_000_000)).toEqual(usual);
  for (const cap of capsOf(900_000)) expect(cap).toBeLessThan(900_000 * 0.6);
  expect(capsOf(1_000)).toEqual(usual.map((bps) => Math.round(bps / 3)));
});

test('needs more cores for larger sources, more rungs and higher rates', () => {
  const source = track('avc1', 'avcC', [1, 100, 0, 31]);
  const coresOf = (change: Partial<TrackConfig>, options: LadderOptions = OPTIONS) =>
    planLiveLadder({ ...source, ...change }, options).cores;
  // 720p at 30 fps: 2.2 ns per decoded pixel, and 11 ns per pixel of the rungs 854x480, 640x360 and 426x240.
  const decoded = 1280 * 720 * 2.2e-9;
  const encoded = (854 * 480 + 640 * 360 + 426 * 240) * 1.1e-8;
  expect(coresOf({})).toBeCloseTo(30 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 60 })).toBeCloseTo(60 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 0 })).toBeCloseTo(30 * (decoded + encoded), 6);
  expect(coresOf({ frameRate: 1_000 })).toBeCloseTo(120 * (decoded + encoded), 6);
  expect(coresOf({}, { allowedRungs: [720] })).toBeCloseTo(30 * decoded, 6);
});
