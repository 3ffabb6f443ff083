import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, forever, makeClip, makeFolder, probe } from '../../../test/support/media/run-clip.ts';
import { probeSource } from './run-probe.ts';

let dir = '';
let remove = async () => {};
let good = '';
let connections = 0;
const listener = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

const CLIP = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=6', '-f', 'lavfi', '-i', 'sine=d=6'];
const CODECS = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac'];

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
  good = await makeClip(dir, 'good.mp4', [...CLIP, ...CODECS]);
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', () => resolve(undefined)));
});
afterAll(async () => {
  listener.close();
  await remove();
});

async function put(name: string, bytes: Buffer | string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, bytes);
  return path;
}

async function cut(path: string, name: string, share: number): Promise<string> {
  const bytes = await readFile(path);
  return put(name, bytes.subarray(0, Math.floor(bytes.length * share)));
}

function playlist(target: string): string {
  return `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n${target}\n#EXT-X-ENDLIST\n`;
}

/** A motion JPEG whose sample entry and picture headers claim 16000x16000. */
async function hugeFrame(): Promise<string> {
  const small = await makeClip(dir, 'jpeg.mov', ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:d=0.2', '-c:v', 'mjpeg']);
  const bytes = await readFile(small);
  bytes.writeUInt32BE(0x3e803e80, bytes.indexOf(Buffer.from('00a0005a', 'hex')));
  const startOfFrame = Buffer.from('ffc0001108', 'hex');
  for (let at = bytes.indexOf(startOfFrame); at >= 0; at = bytes.indexOf(startOfFrame, at + 1)) {
    bytes.writeUInt32BE(0x3e803e80, at + 5);
  }
  return put('huge.mov', bytes);
}

/** A Matroska file that is little more than a list of sound tracks. */
function manyTracks(count: number): Buffer {
  const element = (id: string, body: Buffer) => {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(body.length) | (1n << 56n));
    return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
  };
  const track = element(
    'ae',
    Buffer.concat([
      element('d7', Buffer.from([1])),
      element('83', Buffer.from([2])),
      element('86', Buffer.from('A_AAC')),
    ]),
  );
  const header = element('1a45dfa3', element('4282', Buffer.from('matroska')));
  const tracks = element('1654ae6b', Buffer.concat(Array<Buffer>(count).fill(track)));
  const cluster = element('1f43b675', element('e7', Buffer.from([0])));
  return Buffer.concat([header, element('18538067', Buffer.concat([tracks, cluster]))]);
}

test.each([
  { what: 'an empty file', kind: 'empty-file', make: () => put('zero.mp4', '') },
  { what: 'text', kind: 'not-media', make: () => put('text.mp4', 'hello world\n') },
  {
    what: 'an SVG picture',
    kind: 'not-media',
    make: () => put('svg.mp4', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  },
  { what: 'a playlist of a local file', kind: 'not-media', make: () => put('hls.mp4', playlist(`file://${good}`)) },
  {
    what: 'a list for concatenation',
    kind: 'not-media',
    make: () => put('cat.mp4', `ffconcat version 1.0\nfile ${good}\n`),
  },
  { what: 'an MP4 without its index', kind: 'truncated', make: () => cut(good, 'half.mp4', 0.5) },
  {
    what: 'an MP4 with its index and half its media',
    kind: 'truncated',
    make: async () =>
      cut(await makeClip(dir, 'fast.mp4', ['-i', good, '-c', 'copy', '-movflags', '+faststart']), 'fast2.mp4', 0.5),
  },
  {
    what: 'half a Matroska file',
    kind: 'truncated',
    make: async () => cut(await makeClip(dir, 'whole.mkv', ['-i', good, '-c', 'copy']), 'half.mkv', 0.5),
  },
  { what: '40,000 tracks', kind: 'too-many-streams', make: () => put('many.mkv', manyTracks(40_000)) },
  {
    what: 'a frame of 16000x16000',
    kind: 'frame-too-large',
    make: () => hugeFrame(),
  },
  {
    what: 'three seconds of sound whose times leap over half a day',
    kind: 'undecodable',
    make: () => {
      const leap = 'setts=ts=TS+if(gt(N\\,60)\\,1000*40000\\,0)';
      return makeClip(dir, 'leap.mkv', ['-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'aac', '-bsf:a', leap]);
    },
  },
  {
    what: 'subtitles alone',
    kind: 'no-playable-stream',
    make: async () => {
      const srt = await put('one.srt', '1\n00:00:00,000 --> 00:00:01,000\nhello\n');
      return makeClip(dir, 'subs.mkv', ['-i', srt]);
    },
  },
])('$what is refused as $kind', async ({ kind, make }) => {
  expect(await probe(await make())).toMatchObject({ kind, message: expect.stringMatching(/^Expected /) });
});

test('a whole picture does not hide that the end of a longer sound is missing', async () => {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'anoisesrc=d=40'];
  const whole = await makeClip(dir, 'late.mp4', [...inputs, '-c:a', 'aac', '-movflags', '+faststart']);
  const path = await cut(whole, 'late2.mp4', 0.95);
  const [signal, isWhole] = [new AbortController().signal, Promise.resolve(true)];
  const facts = await probeSource(path, (await stat(path)).size, signal, isWhole);
  expect(facts).toMatchObject({ warnings: [expect.stringContaining('ends early')] });
});

test('a playlist that names a host reaches no network', async () => {
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const path = await put('remote.mp4', playlist(`http://127.0.0.1:${port}/a.ts`));
  expect(await probe(path)).toMatchObject({ kind: 'not-media' });
  expect(connections).toBe(0);
});

test('a file that lacks a little of its end is taken as long as it is, with a warning', async () => {
  const fast = await makeClip(dir, 'most.mp4', ['-i', good, '-c', 'copy', '-movflags', '+faststart']);
  const path = await cut(fast, 'most2.mp4', 0.96);
  const facts = await factsOf(
    await makeClip(dir, 'long.mkv', ['-stream_loop', '4', '-i', good, '-c', 'copy']).then((long) =>
      cut(long, 'long2.mkv', 0.93),
    ),
  );
  expect(facts.warnings).toEqual([expect.stringContaining('ends early')]);
  expect(facts.durationSec).toBeGreaterThan(27);
  expect(facts.durationSec).toBeLessThan(29);
  expect(await probe(path)).not.toHaveProperty('kind', 'not-media');
});

test('facts of an ordinary file: rate, sizes, times, language', async () => {
  const argv = ['-i', good, '-i', good, '-map', '0:v', '-map', '0:a', '-map', '1:a', '-c', 'copy'];
  const path = await makeClip(dir, 'two.mp4', [
    ...argv,
    '-metadata:s:a:0',
    'language=ger',
    '-metadata:s:a:1',
    'language=eng',
  ]);
  const facts = await factsOf(path);
  expect(facts).toMatchObject({ durationSec: 6, startSec: 0, seeksToKeyframes: true, warnings: [] });
  expect(facts.video).toMatchObject({
    codec: 'h264',
    displayWidthPx: 160,
    displayHeightPx: 90,
    rate: { num: 25, den: 1 },
  });
  expect(facts.audio.map((track) => track.language)).toEqual(['de', 'en']);
});

test('sound alone is fine, its cover is no video; a length that nobody wrote down is counted', async () => {
  const cover = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=0.04', '-f', 'lavfi', '-i', 'sine=d=5'];
  const mp3 = await factsOf(
    await makeClip(dir, 'cover.mp3', [...cover, '-map', '0', '-map', '1', '-disposition:v', 'attached_pic']),
  );
  expect(mp3.video).toBeNull();
  const adts = await factsOf(await makeClip(dir, 'plain.aac', ['-f', 'lavfi', '-i', 'sine=d=5']));
  expect(Math.abs(adts.durationSec - 5)).toBeLessThan(0.1);
  const piped = await makeClip(dir, 'live.webm', [
    ...CLIP,
    '-c:v',
    'libvpx',
    '-b:v',
    '200k',
    '-c:a',
    'libopus',
    '-live',
    '1',
  ]);
  const webm = await factsOf(piped);
  expect(Math.abs(webm.durationSec - 6)).toBeLessThan(0.1);
  expect(webm.video?.rate).toEqual({ num: 25, den: 1 });
});

test('an abort ends the probe with its reason', async () => {
  await expect(probeSource(good, 1, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await expect(probeSource(join(dir, 'absent.mp4'), 1, forever)).rejects.toThrow('Expected');
});
