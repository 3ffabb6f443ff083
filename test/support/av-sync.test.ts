import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureAvSync, type SyncReading, syncSourceArgv } from './av-sync.ts';

const LENGTH_SEC = 10;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-sync-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function make(filters: readonly string[], container = 'mp4'): Promise<string> {
  const file = join(folder, `sync.${container}`);
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', '-b:a', '128k'];
  const argv = ['-y', '-v', 'error', ...syncSourceArgv({ lengthSec: LENGTH_SEC }), ...filters, ...codecs, file];
  await promisify(execFile)('ffmpeg', argv);
  return file;
}

test.each<{ title: string; filters: string[]; expected: number; reading?: SyncReading }>([
  { title: 'unchanged audio', filters: [], expected: 0 },
  { title: 'audio 60 ms late', filters: ['-af', 'adelay=60:all=1'], expected: 60 },
  { title: 'audio 100 ms early', filters: ['-af', 'atrim=start=0.1,asetpts=PTS-STARTPTS'], expected: -100 },
  { title: 'audio 3 s late', filters: ['-af', 'adelay=3000:all=1'], expected: 3_000 },
  { title: 'without pitches', filters: ['-af', 'adelay=60:all=1'], expected: 60, reading: { pitches: false } },
])('measures the offset of $title within 5 ms', async ({ filters, expected, reading }) => {
  const sync = await measureAvSync(await make(filters), reading);
  expect(sync.points.length).toBeGreaterThanOrEqual(LENGTH_SEC - 4);
  for (const { offsetMs } of sync.points) expect(Math.abs(offsetMs - expected)).toBeLessThan(5);
  expect(sync.pictures.map(({ number }) => number)).toEqual(
    Array.from({ length: 30 * LENGTH_SEC }, (_, index) => index),
  );
  expect([...sync.pictureHoles, ...sync.soundHoles]).toEqual([]);
});

test('reports gaps, flashes without a beep and beeps without a flash', async () => {
  const sound = "aselect='not(between(t,2.5,4.5))'";
  const picture = "select='not(between(t,6.5,7.51))'";
  const sync = await measureAvSync(await make(['-vf', picture, '-fps_mode', 'vfr', '-af', sound], 'mkv'));
  const seconds = (times: readonly number[]) => times.map((sec) => Math.round(sec));
  expect(seconds(sync.silentFlashesSec)).toEqual([3, 4]);
  expect(seconds(sync.darkBeepsSec)).toEqual([7]);
  expect(sync.points.map(({ atSec }) => Math.round(atSec))).toEqual([1, 2, 5, 6, 8, 9]);
  expect(sync.soundHoles).toEqual([{ fromSec: expect.closeTo(2.5, 1), toSec: expect.closeTo(4.5, 1) }]);
  expect(sync.pictureHoles).toEqual([{ fromSec: expect.closeTo(6.5, 1), toSec: expect.closeTo(7.53, 1) }]);
});
