import { pbkdf2 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { REAL_CLIP } from '../../test/support/videos.ts';
import { runFfmpeg } from './ffmpeg.ts';

/** A fixed load that shows the machine's current speed at one kind of work. `run` is one thread's share of it. */
export type Calibration = { name: string; referenceSec: number; run: () => Promise<unknown> };

/** Absolute bars assume two cores, both available to an encoder. */
const CORES = 2;
const RUNS = 2;
const derive = promisify(pbkdf2);

/** Pure calculation: measures clock and cores, but not memory. */
const CALCULATION: Calibration = {
  name: 'PBKDF2',
  referenceSec: 0.36,
  run: () => derive('a', 'b', 1_100_000, 32, 'sha256'),
};

const CLIP_SEC = 10;
/**
 * CPU seconds of one thread for all 30 s of the clip, on the two cores for which the bars of media work were set, and
 * the share of the first 10 s, as measured (0.317 to 0.332).
 */
const [WHOLE_CLIP_SEC, SHARE] = [4.4, 0.32];

/**
 * Decoding processes whole frames with vector units, like encoders. Neighbours who share caches and memory slow it down
 * like encoders, but do not affect pure calculation.
 */
const DECODING: Calibration = {
  name: 'decoding',
  referenceSec: WHOLE_CLIP_SEC * SHARE,
  run: () => runFfmpeg(['-threads', '1', '-t', String(CLIP_SEC), '-i', REAL_CLIP, '-an', '-f', 'null', '-']),
};

const OF_MEDIA: readonly string[] = ['first-play', 'on-demand', 'ladder', 'images'];

/** Returns the load that is most representative of a benchmark. */
export function calibrationFor(bench: string): Calibration {
  return OF_MEDIA.includes(bench) ? DECODING : CALCULATION;
}

/**
 * Returns the current time of the load relative to the reference, on all cores concurrently, as the better of two runs.
 */
export async function measureSlowness({ referenceSec, run }: Calibration): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < RUNS; turn += 1) {
    const startMs = performance.now();
    await Promise.all(Array.from({ length: Math.min(CORES, availableParallelism()) }, run));
    times.push((performance.now() - startMs) / 1000);
  }
  return Math.min(...times) / referenceSec;
}
