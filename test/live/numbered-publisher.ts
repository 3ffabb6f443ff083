import { type ChildProcess, spawn } from 'node:child_process';
import { makeNumberedClip, RATE } from '../soak/players/numbered-clip.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { onceARun } from '../support/once-a-run.ts';

/** Clips in which each picture shows its own number, of two sizes, that all tests of a run share. */
export type NumberedClips = { small: string; other: string };

const LENGTH_SEC = 36;
/** Pictures of a clip. */
export const FRAMES = LENGTH_SEC * RATE;

export async function makeNumberedClips(): Promise<NumberedClips> {
  // Pictures are not reordered: what a killed publisher had sent is then without a hole up to its last picture.
  const shape = { lengthSec: LENGTH_SEC, reorders: false };
  const make = (widthPx: number, heightPx: number) =>
    onceARun(`numbered-${heightPx}.mp4`, (place) => makeNumberedClip(place, { ...shape, widthPx, heightPx }));
  const [small, other] = await Promise.all([make(320, 180), make(256, 144)]);
  return { small, other };
}

/** Publishes a clip as it is, in real time, to the end of the test at most, `turns` times: nothing is encoded. */
export function publishClip(url: string, clip: string, turns = 1): ChildProcess {
  const input = ['-re', '-stream_loop', `${turns - 1}`, '-i', clip];
  const argv = ['-nostdin', '-v', 'error', ...input, '-c', 'copy', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}
