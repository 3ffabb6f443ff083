import { type ChildProcess, spawn } from 'node:child_process';
import { makeNumberedClip, RATE } from '../soak/players/numbered-clip.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { onceARun } from '../support/once-a-run.ts';

/** Clips in two sizes in which each frame shows its own number. All tests of a run share them. */
export type NumberedClips = { small: string; other: string };

const LENGTH_SEC = 36;
/** Number of frames in a clip. */
export const FRAMES = LENGTH_SEC * RATE;

export async function makeNumberedClips(): Promise<NumberedClips> {
  // Frames are not reordered, so that a killed publisher leaves no gap before its last frame.
  const shape = { lengthSec: LENGTH_SEC, reorders: false };
  const make = (widthPx: number, heightPx: number) =>
    onceARun(`numbered-${heightPx}.mp4`, (place) => makeNumberedClip(place, { ...shape, widthPx, heightPx }));
  const [small, other] = await Promise.all([make(320, 180), make(256, 144)]);
  return { small, other };
}

/** Publishes a clip without encoding, in real time, `turns` times, at most until the end of the test. */
export function publishClip(url: string, clip: string, turns = 1): ChildProcess {
  const input = ['-re', '-stream_loop', `${turns - 1}`, '-i', clip];
  const argv = ['-nostdin', '-v', 'error', ...input, '-c', 'copy', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}
