import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { CoreBudget } from '../../src/ingest/live/core-budget.ts';
import { Marker } from '../../src/ingest/live/marker.ts';
import { createFlvReader } from '../../src/media/live/flv/flv-reader.ts';
import { readFlvTag } from '../../src/media/live/flv/flv-tag.ts';
import { aacConfig } from '../../src/media/live/tracks/aac-config.ts';
import type { LiveEvent } from '../../src/media/live/tracks/access-unit.ts';

const run = promisify(execFile);
const RATE = 25;
const FRAMES = 60;
const PLACE = { leftPercent: 0, topPercent: 0, widthPercent: 10, heightPercent: 10 };
/** Interval of the audio frames, in ms. The last ones are later than the last video frame. */
const AUDIO_MS = 20;
const AUDIO_FRAMES = (FRAMES / RATE) * (1_000 / AUDIO_MS) + 10;

async function encode(argv: readonly string[]): Promise<Buffer> {
  const { stdout } = await run('ffmpeg', ['-nostdin', '-v', 'error', ...argv, 'pipe:1'], { encoding: 'buffer' });
  return stdout;
}

test('a watermark encoder that finishes outputs each frame and keyframe and all audio, and takes no more', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mr-marker-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clip = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${RATE}`, '-frames:v', `${FRAMES}`, '-pix_fmt', 'yuv420p'];
  const flv = await encode([...clip, '-c:v', 'libx264', '-bf', '2', '-g', `${RATE}`, '-f', 'flv']);
  const png = await encode([
    '-f',
    'lavfi',
    '-i',
    'color=red:s=16x16',
    '-frames:v',
    '1',
    '-f',
    'image2pipe',
    '-c:v',
    'png',
  ]);
  const output: LiveEvent[] = [];
  const problems: string[] = [];
  const marker = new Marker(
    { mark: { ...PLACE, png }, options: { allowedRungs: [240, 360] } },
    {
      ...{ budget: new CoreBudget(8), folder, output: (event) => void output.push(event) },
      ...{ refuse: (reason) => void problems.push(reason), report: ({ message }) => void problems.push(message) },
    },
  );
  marker.push({ type: 'config', config: aacConfig(Buffer.from([0x11, 0x90])) }, 0);
  const events = createFlvReader()
    .push(flv)
    .flatMap((tag) => readFlvTag(tag, RATE) ?? []);
  for (const event of events) marker.push(event, 10);
  const pushAudio = (ms: number) => {
    const unit = { kind: 'audio', dtsMs: ms, ptsMs: ms, isKey: true, bytes: Buffer.alloc(10) } as const;
    marker.push({ type: 'unit', unit }, 10);
  };
  for (let index = 0; index < AUDIO_FRAMES; index += 1) pushAudio(index * AUDIO_MS);
  const finished = marker.finish();
  pushAudio(AUDIO_FRAMES * AUDIO_MS);
  await finished;
  const count = (kind: 'video' | 'audio') =>
    output.filter((event) => event.type === 'unit' && event.unit.kind === kind).length;
  expect(problems).toEqual([]);
  expect([count('video'), count('audio')]).toEqual([FRAMES, AUDIO_FRAMES]);
  const keyTimes = (list: readonly LiveEvent[]) =>
    list.flatMap((event) =>
      event.type === 'unit' && event.unit.kind === 'video' && event.unit.isKey ? [event.unit.ptsMs] : [],
    );
  expect(keyTimes(output)).toEqual(keyTimes(events));
  marker.close();
});
