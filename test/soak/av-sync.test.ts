import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Source } from '../media/many.ts';
import { measureAvSync, syncSourceArgv } from '../support/av-sync.ts';
import { makeClip } from '../support/media/run-clip.ts';
import { discard, type Service, startService } from '../support/service.ts';
import { createVideo, FINISHED, getVideo, playlistUrl, untilVideo, uploadFile } from '../support/videos.ts';

const LENGTH_SEC = 9;
const MAX_OFFSET_MS = 20;
/** Minimum number of beeps that remain. Lost packets remove some beeps. */
const MIN_BEEPS = 5;
/** Sources whose DASH manifest and download are also measured. */
const MEASURED_EVERYWHERE = ['plain.mp4', 'one packet of 25 lost.mp4', 'B-frames in fragments.mp4'];

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-bf', '2', '-g', '60'];
const AAC = ['-c:a', 'aac', '-b:a', '96k'];
const MPEG4 = ['-c:v', 'mpeg4', '-q:v', '8'];
const source = (rate = 30) => syncSourceArgv({ lengthSec: LENGTH_SEC, rate, size: '160x90' });
const moved = (sec: number, rate: number) => {
  const [, , , picture = '', , , , sound = ''] = source(rate);
  return ['-f', 'lavfi', '-i', picture, '-itsoffset', `${sec}`, '-f', 'lavfi', '-i', sound];
};

type Case = Source & { rate?: number; pitches?: boolean };

const isSoak = process.env.MODE === 'soak';
/** Sources that `npm test` measures. `npm run soak -- av-sync` measures all of them. */
const SHORT = [
  ...MEASURED_EVERYWHERE,
  'audio 45 ms late at 10 a second.mkv',
  'copied, one packet of 25 lost.mp4',
  'gaps of 12 and 70 ms.mkv',
];

const ALL: Case[] = [
  { name: 'plain.mp4', argv: [...source(), ...H264, ...AAC] },
  {
    name: 'one packet of 25 lost.mp4',
    argv: [...source(), ...H264, ...AAC, '-bsf:a', "noise=drop='not(mod(n+1,25))'"],
  },
  { name: 'one packet of 9 lost.mkv', argv: [...source(), ...MPEG4, ...AAC, '-bsf:a', "noise=drop='not(mod(n+8,9))'"] },
  { name: 'B-frames in fragments.mp4', argv: [...source(), ...H264, ...AAC, '-movflags', 'frag_keyframe+empty_moov'] },
  { name: 'audio 13 ms off the grid.ts', argv: [...moved(0.013, 25), ...H264, ...AAC], rate: 25 },
  { name: 'audio 45 ms late at 10 a second.mkv', argv: [...moved(0.045, 10), ...MPEG4, ...AAC], rate: 10 },
  { name: 'audio 17 ms early.mp4', argv: [...moved(-0.017, 24), ...H264, ...AAC], rate: 24 },
  { name: 'copied.mp4', argv: [...source(), ...H264, ...AAC, '-ac', '2'] },
  {
    name: 'copied, one packet of 25 lost.mp4',
    argv: [...source(), ...H264, ...AAC, '-ac', '2', '-bsf:a', "noise=drop='not(mod(n+1,25))'"],
  },
  {
    name: 'copied from fragments.mp4',
    argv: [...source(), ...H264, ...AAC, '-ac', '2', '-movflags', 'frag_keyframe+empty_moov'],
  },
  { name: 'mp3.avi', argv: [...source(), ...MPEG4, '-c:a', 'libmp3lame'] },
  { name: 'mp3.mp4', argv: [...source(), ...MPEG4, '-c:a', 'libmp3lame', '-ar', '44100'] },
  { name: 'opus.webm', argv: [...source(), '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'] },
  { name: 'aac 44100.flv', argv: [...source(), ...H264, ...AAC, '-ar', '44100'] },
  {
    name: 'variable rate.mp4',
    argv: [...source(), '-vf', "select='lt(mod(n,30),20)'", '-fps_mode', 'vfr', ...H264, ...AAC],
  },
  {
    name: 'gaps of 12 and 70 ms.mkv',
    argv: [...source(), ...MPEG4, '-c:a', 'pcm_s16le', ...shift('0.012*floor(T/1.4)+0.07*floor(T/3.6)')],
  },
  {
    name: 'overlaps of 12 ms.mkv',
    argv: [...source(), ...MPEG4, '-c:a', 'pcm_s16le', ...shift('-0.012*floor(T/1.4)')],
  },
  { name: 'jitter of 10 ms.mkv', argv: [...source(), ...MPEG4, '-c:a', 'pcm_s16le', ...shift('0.01*sin(37*T*T)')] },
];

/** Moves audio packets by an expression of their time `T` in seconds. */
function shift(expression: string): string[] {
  return ['-bsf:a', `setts=ts='TS+(${expression.replaceAll('T', '(TS*TB)')})/TB'`];
}

const SOURCES = ALL.filter(({ name }) => isSoak || SHORT.includes(name));

let service: Service;
let folder: string;
const files = new Map<string, string>();
const guids = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'millrace-sync-'));
  service = await startService(null);
  for (const { name, argv } of [...SOURCES, await joinedSource()]) {
    const file = await makeClip(folder, `${files.size}.${name.split('.').at(-1)}`, argv);
    const guid = await createVideo(service, name);
    expect((await uploadFile(service, guid, file)).status).toBe(200);
    files.set(name, file);
    guids.set(name, guid);
  }
  for (const guid of guids.values()) await untilVideo(service, guid, ({ status }) => status === FINISHED);
}, 400_000);
afterAll(async () => {
  if (service !== undefined) await discard(service);
  await rm(folder, { recursive: true, force: true });
});

const JOINED = 'clips with 16 ms more sound joined.mp4';

async function joinedSource(): Promise<Source> {
  const part = [...syncSourceArgv({ lengthSec: 2, size: '160x90' }), ...H264, ...AAC, '-af', 'apad=pad_dur=0.016'];
  const clip = await makeClip(folder, 'part.mp4', part);
  const list = path.join(folder, 'parts.txt');
  await writeFile(list, `file '${clip}'\n`.repeat(12));
  return { name: JOINED, argv: ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy'] };
}

const CASES: Pick<Case, 'name' | 'rate' | 'pitches'>[] = [...SOURCES, { name: JOINED, pitches: false }];

test.each(CASES)('$name: audio is within 20 ms of its time in the source', async ({ name, ...reading }) => {
  const before = await measureAvSync(files.get(name) ?? '', reading);
  const heard = before.points.length;
  expect(heard).toBeGreaterThanOrEqual(MIN_BEEPS);
  for (const address of await addressesOf(name)) {
    const after = await measureAvSync(address, reading);
    const moved = (after.points[0]?.atSec ?? 0) - (before.points[0]?.atSec ?? 0);
    const errors = before.points.flatMap(({ atSec, offsetMs }) => {
      const place = after.points.find((point) => Math.abs(point.atSec - moved - atSec) < 0.3);
      return place === undefined ? [] : [place.offsetMs - offsetMs];
    });
    // A beep that lost its start is paired with the next one of its pitch.
    const measured = errors.filter((error) => Math.abs(error) < 1_000);
    const report = `${path.basename(address)}: ${errors.map((error) => error.toFixed(1)).join(' ')}`;
    expect(measured.length, report).toBeGreaterThanOrEqual(heard - 2);
    for (const error of measured) expect(Math.abs(error), report).toBeLessThan(MAX_OFFSET_MS);
  }
});

async function addressesOf(name: string): Promise<string[]> {
  const guid = guids.get(name) ?? '';
  const playlist = playlistUrl(service, guid);
  if (!MEASURED_EVERYWHERE.includes(name)) return [playlist];
  const [rung] = (await getVideo(service, guid)).availableResolutions.split(',');
  return [playlist, ...['manifest.mpd', `play_${rung}.mp4`].map((file) => playlist.replace('playlist.m3u8', file))];
}
