import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { syncSourceArgv } from '../support/av-sync.ts';
import { endWithTest } from '../support/end-with-test.ts';
import { onceARun } from '../support/once-a-run.ts';

export const SYNC_RATE = 30;
const KEY_SEC = 2;
const AUDIO_FRAMES_PER_SEC = 48_000 / 1024;
/** Beeps encode their second modulo 8, so loops of this length continue without a discontinuity. */
export const TURN_SEC = 24;

/**
 * Ranges on the publisher's clock, in seconds, in which it sends nothing of a track. `never`: the publisher has no
 * such track.
 */
export type Away = { audio?: readonly Range[] | 'never'; video?: readonly Range[] | 'never' };
export type Range = readonly [number, number];

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-sc_threshold', '0', '-pix_fmt', 'yuv420p'];

/** B-frames that others refer to, as x264 uses them by default. After a keyframe, it releases those before. */
const OPEN_GOPS = 'open-gop=1:bframes=3:b-pyramid=normal:ref=4';

/**
 * A clip of 24 s with flashes and beeps (H.264, two B-frames, 2 s between keyframes; AAC) for all tests of a run.
 * `hasOpenGops`: B-frames before a keyframe refer to it and to frames before it.
 */
export function makeSyncClip(size = '320x180', hasOpenGops = false): Promise<string> {
  return onceARun(`sync-${size}${hasOpenGops ? '-open' : ''}.mp4`, async (place) => {
    const source = syncSourceArgv({ lengthSec: TURN_SEC, rate: SYNC_RATE, size });
    const gops = ['-g', `${KEY_SEC * SYNC_RATE}`, '-bf', '2', ...(hasOpenGops ? ['-x264-params', OPEN_GOPS] : [])];
    await promisify(execFile)('ffmpeg', ['-v', 'error', ...source, ...X264, ...gops, '-c:a', 'aac', place]);
  });
}

/**
 * Publishes a clip in a loop and in real time, without the ranges in `away`. Stops at the end of the test at the
 * latest. The URL scheme selects the protocol.
 */
export function publishWithGaps(address: string, clip: string, away: Away = {}): ChildProcess {
  const filters = (['audio', 'video'] as const).flatMap((kind) => dropArgv(kind, away[kind] ?? []));
  // Otherwise the muxer waits up to 10 s for the absent track.
  const muxer = ['-max_interleave_delta', '100000', '-f', address.startsWith('rtmp') ? 'flv' : 'mpegts'];
  // A separate process loops the clip, because the filters end with the first iteration of a looped input.
  const loop = spawn('ffmpeg', [...QUIET, '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'nut', 'pipe:1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const argv = [...QUIET, '-re', '-f', 'nut', '-i', 'pipe:0', '-c', 'copy', ...filters, ...muxer, address];
  const child = spawn('ffmpeg', argv, { stdio: [loop.stdout, 'ignore', 'pipe'] });
  loop.stdout.destroy();
  endWithTest(loop);
  return endWithTest(child);
}

const QUIET = ['-nostdin', '-v', 'error'];

function dropArgv(kind: 'audio' | 'video', ranges: readonly Range[] | 'never'): string[] {
  if (ranges === 'never') return [kind === 'audio' ? '-an' : '-vn'];
  if (ranges.length === 0) return [];
  const perSec = kind === 'audio' ? AUDIO_FRAMES_PER_SEC : SYNC_RATE;
  const between = ranges.map(([from, to]) => `between(n,${Math.ceil(from * perSec)},${Math.ceil(to * perSec) - 1})`);
  return [kind === 'audio' ? '-bsf:a' : '-bsf:v', `noise=amount=0:drop='${between.join('+')}'`];
}
