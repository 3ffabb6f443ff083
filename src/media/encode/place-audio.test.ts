import { expect, test } from 'vitest';
import { type AudioAccount, type AudioFrame, placeAudio } from './place-audio.ts';

const RATE_HZ = 1000;
const FRAME = 100;
const SAMPLE_BYTES = 4;

/** Yields frames of a tenth of a second at the given times, whose samples are all `value`. */
async function* framesAt(times: readonly [atSec: number, value: number][]): AsyncGenerator<AudioFrame> {
  for (const [atSec, value] of times) yield { atSec, pcm: Buffer.alloc(FRAME * SAMPLE_BYTES, value) };
}

async function place(times: readonly [number, number][], totalFrames: number) {
  const account: AudioAccount = { keptSec: 0, isWhole: false };
  const placing = { startSec: 10, sampleRateHz: RATE_HZ, totalSamples: totalFrames * FRAME, sampleBytes: SAMPLE_BYTES };
  const parts: Buffer[] = [];
  for await (const part of placeAudio(framesAt(times), placing, account)) parts.push(part);
  const pcm = Buffer.concat(parts);
  expect(pcm.length).toBe(placing.totalSamples * SAMPLE_BYTES);
  const values = Array.from({ length: totalFrames }, (_, index) => pcm[(index + 0.5) * FRAME * SAMPLE_BYTES]);
  return { values, keptSec: Number(account.keptSec.toFixed(3)) };
}

const run = (fromSec: number, values: readonly number[]): [number, number][] =>
  values.map((value, index) => [fromSec + index / 10, value]);

test('places audio at its times with silence before, between and after', async () => {
  const times = [...run(10.3, [1, 2, 3, 4]), ...run(11, [5, 6, 7, 8])];
  const placed = await place(times, 16);
  expect(placed.values).toEqual([0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 5, 6, 7, 8, 0, 0]);
  expect(placed).toMatchObject({ keptSec: 0.8 });
});

test('drops a few frames with outlying times and keeps the following frames in position', async () => {
  const times = [...run(10, [1, 2]), ...run(99, [9]), ...run(10.2, [3, 4]), ...run(2, [9, 9]), ...run(10.4, [5, 6])];
  expect((await place(times, 7)).values).toEqual([1, 2, 3, 4, 5, 6, 0]);
});

test('cuts overlapping audio once enough frames agree, and joins drifting times', async () => {
  const repeated = [...run(10, [1, 2, 3, 4, 5, 6]), ...run(10.2, [3, 4, 5, 6, 7, 8])];
  expect((await place(repeated, 8)).values).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const drifting = Array.from({ length: 10 }, (_, index): [number, number] => [10 + index * 0.104, index + 1]);
  expect((await place(drifting, 10)).values).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('drops audio before the start and after the end of the track', async () => {
  expect(await place(run(9.8, [1, 2, 3, 4, 5, 6, 7]), 3)).toMatchObject({ values: [3, 4, 5], keptSec: 0.3 });
});
