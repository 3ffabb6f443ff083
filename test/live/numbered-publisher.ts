import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeNumberedClip, RATE } from '../soak/players/numbered-clip.ts';
import { endWithTest } from '../support/end-with-test.ts';

/** Clips in which each picture shows its own number, of two sizes, in a folder that the caller removes. */
export type NumberedClips = { folder: string; small: string; other: string };

const LENGTH_SEC = 36;
/** Pictures of a clip. */
export const FRAMES = LENGTH_SEC * RATE;

export async function makeNumberedClips(): Promise<NumberedClips> {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-numbered-'));
  const clips = { folder, small: path.join(folder, 'small.mp4'), other: path.join(folder, 'other.mp4') };
  // Pictures are not reordered: what a killed publisher had sent is then without a hole up to its last picture.
  const shape = { lengthSec: LENGTH_SEC, reorders: false };
  await Promise.all([
    makeNumberedClip(clips.small, { ...shape, widthPx: 320, heightPx: 180 }),
    makeNumberedClip(clips.other, { ...shape, widthPx: 256, heightPx: 144 }),
  ]);
  return clips;
}

/** Publishes a clip as it is, in real time, to the end of the test at most, `turns` times: nothing is encoded. */
export function publishClip(url: string, clip: string, turns = 1): ChildProcess {
  const input = ['-re', '-stream_loop', `${turns - 1}`, '-i', clip];
  const argv = ['-nostdin', '-v', 'error', ...input, '-c', 'copy', '-f', 'flv', url];
  return endWithTest(spawn('ffmpeg', argv, { stdio: ['ignore', 'ignore', 'pipe'] }));
}
