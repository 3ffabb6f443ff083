import { pbkdf2 } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { REAL_CLIP } from '../../test/support/videos.ts';
import { runFfmpeg } from './ffmpeg.ts';

/**
 * A fixed load that measures the current speed of the machine for one kind of work. `run` is the part of one thread.
 */
export type Calibration = { name: string; referenceSec: number; run: () => Promise<unknown> };

/** Number of cores for which absolute bars were set. Encoders can use all of them. */
const CORES = 2;
const RUNS = 2;
const derive = promisify(pbkdf2);

/** Pure calculation. Its time depends on the clock rate and the cores, but not on memory. */
const CALCULATION: Calibration = {
  name: 'PBKDF2',
  referenceSec: 0.36,
  run: () => derive('a', 'b', 1_100_000, 32, 'sha256'),
};

const CLIP_SEC = 10;
/**
 * CPU seconds of one thread for all 30 s of the clip, on the machine for which the bars of media work were set, and the
 * measured fraction of the first 10 s (0.317 to 0.332).
 */
const [WHOLE_CLIP_SEC, SHARE] = [4.4, 0.32];

/**
 * Decoding. Like encoding, it processes whole frames with vector units, so other virtual machines that share caches and
 * memory slow it down like encoding. They do not affect pure calculation.
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

/** Runs the load on all cores concurrently, twice. Returns the lower time relative to the reference. */
export async function measureSlowness({ referenceSec, run }: Calibration): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < RUNS; turn += 1) {
    const startMs = performance.now();
    await Promise.all(Array.from({ length: Math.min(CORES, availableParallelism()) }, run));
    times.push((performance.now() - startMs) / 1000);
  }
  return Math.min(...times) / referenceSec;
}
