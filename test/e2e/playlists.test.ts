import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';
import { expectSameLength } from '../support/whole-video/check-length.ts';
import { checkWholeVideo, type WholeVideo } from '../support/whole-video/check-whole-video.ts';
import { readSourceSpan, type SourceSpan } from '../support/whole-video/decode-segment.ts';

const run = promisify(execFile);

let service: Service;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-sources-'));
  service = await startService(null);
});
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const SINE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:d=10'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-b:v', '300k'];

/** Frames that stand for one to four periods of 1/30 s, as recorders of screens write them. */
const SCREEN = "testsrc2=s=426x240:r=30:d=10,select='not(mod(n,2)*lt(mod(n,40),20))*not(eq(mod(n,7),3))'";

async function make(name: string, ...args: string[]): Promise<string> {
  const file = path.join(folder, name);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, file]);
  return file;
}

async function uploadAndCheck(file: string): Promise<{ whole: WholeVideo; source: SourceSpan }> {
  const guid = await createVideo(service, path.basename(file));
  expect((await uploadFile(service, guid, file)).status).toBe(200);
  await untilVideo(service, guid, ({ status }) => status === FINISHED);
  return { whole: await checkWholeVideo(service, guid), source: await readSourceSpan(file) };
}

test('MPEG-4 in Matroska at 24000/1001 with B-frames is encoded on its own frame grid', async () => {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=480x360:r=24000/1001:d=9'];
  const codec = ['-c:v', 'mpeg4', '-q:v', '6', '-bf', '2', '-c:a', 'libmp3lame', '-shortest'];
  const checked = await uploadAndCheck(await make('film.mkv', ...picture, ...SINE, ...codec));
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [360, 240], segments: 3 });
  // The picture of this container begins a few milliseconds after the sound: the grid may need one frame more.
  expect(Math.abs(checked.whole.frames - checked.source.frames)).toBeLessThanOrEqual(1);
  expect(checked.whole.frameSec).toBeCloseTo(1001 / 24_000, 9);
});

test('sound alone plays whole', async () => {
  const checked = await uploadAndCheck(await make('podcast.mp3', ...SINE, '-c:a', 'libmp3lame'));
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [], videoEndSec: null, segments: 3 });
});

test('pictures without sound play whole', async () => {
  const checked = await uploadAndCheck(
    await make('mute.mp4', '-f', 'lavfi', '-i', 'testsrc2=s=426x240:r=25:d=9', ...H264, '-g', '60'),
  );
  expectSameLength(checked.whole, checked.source);
  expect(checked.whole).toMatchObject({ rungs: [240], audioEndSec: null, frames: 225 });
});

test.each([
  { as: 'MP4 that passes through', name: 'screen.mp4', codec: [...H264, '-c:a', 'aac'] },
  {
    as: 'WebM that is encoded',
    name: 'screen.webm',
    codec: ['-c:v', 'libvpx', '-deadline', 'realtime', '-b:v', '400k', '-c:a', 'libopus'],
  },
])(
  'a screen recording of variable rate in $as plays whole, and sound and picture stay together',
  async ({ name, codec }) => {
    const picture = ['-f', 'lavfi', '-i', SCREEN];
    const checked = await uploadAndCheck(await make(name, ...picture, ...SINE, '-fps_mode', 'vfr', ...codec));
    expectSameLength(checked.whole, checked.source);
    expect(checked.whole.rungs).toEqual([240]);
  },
);
