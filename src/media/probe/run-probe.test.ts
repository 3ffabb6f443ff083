import { readFileSync } from 'node:fs';
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

/** Creates a Motion JPEG file whose sample entry and frame headers declare 16000x16000 pixels. */
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

/** Returns a Matroska file that consists mostly of a list of audio tracks. */
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

/** Returns the brands and the header of the image data of a HEIC file, which suffice for the test. */
function heic(): Buffer {
  const ftyp = Buffer.from('000000186674797068656963000000006d69663168656963', 'hex');
  return Buffer.concat([ftyp, Buffer.from('000003f06d646174', 'hex'), Buffer.alloc(1000)]);
}

/** Inserts, between the first box and the index, a box that declares ten times the file size. */
function brokenBox(): Buffer {
  const bytes = readFileSync(good);
  const at = bytes.indexOf('free') - 4;
  bytes.writeUInt32BE(bytes.length * 10, at);
  return bytes;
}

/** Creates a file that declares USAC, which ffmpeg cannot encode, by changing the audio object type to 42. */
async function makeUsac(): Promise<string> {
  const path = await makeClip(dir, 'usac.mp4', ['-i', good, '-c', 'copy']);
  const bytes = await readFile(path);
  const at = bytes.indexOf(Buffer.from('05808080', 'hex'), bytes.indexOf('esds'));
  bytes.set([0xf9, 0x46, 0x40, 0, 0].slice(0, bytes.readUInt8(at + 4)), at + 5);
  await writeFile(path, bytes);
  return path;
}

test.each([
  { name: 'cut.mp4', share: 0.95, argv: ['-movflags', '+faststart'] },
  { name: 'cut.mkv', share: 0.95, argv: [] },
  { name: 'cut.flv', share: 0.95, argv: [] },
  { name: 'cut-fragments.mp4', share: 0.66, argv: ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'] },
  { name: 'cut.avi', share: 0.66, argv: [] },
])('accepts the readable part of a truncated file with a warning: $name', async ({ name, share, argv }) => {
  const path = await cut(await makeClip(dir, `whole-${name}`, ['-i', good, '-c', 'copy', ...argv]), name, share);
  const facts = await factsOf(path);
  expect(facts.warnings).toEqual([expect.stringContaining('The file ends early')]);
  expect(facts.durationSec).toBeLessThan(share * 6 + 0.8);
});

test.each([{ shiftSec: 0 }, { shiftSec: 5000 }])(
  'computes the length of a fragmented file with unknown durations (all ones) and a clock that starts at $shiftSec s',
  async ({ shiftSec }) => {
    const argv = ['-i', good, '-an', '-c', 'copy', '-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
    const path = await makeClip(dir, `ones-${shiftSec}.mp4`, argv);
    const bytes = await readFile(path);
    const timescale = bytes.readUInt32BE(bytes.indexOf('mdhd') + 16);
    for (const [type, offset] of [
      ['mvhd', 20],
      ['tkhd', 24],
      ['mdhd', 20],
    ] as const) {
      bytes.writeUInt32BE(0xffffffff, bytes.indexOf(type) + offset);
    }
    for (let at = bytes.indexOf('tfdt'); at > 0; at = bytes.indexOf('tfdt', at + 4)) {
      const isLong = bytes.readUInt8(at + 4) === 1;
      const ticks = shiftSec * timescale;
      if (isLong) bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at + 8) + BigInt(ticks), at + 8);
      else bytes.writeUInt32BE(bytes.readUInt32BE(at + 8) + ticks, at + 8);
    }
    await writeFile(path, bytes);
    const facts = await factsOf(path);
    expect(facts.startSec).toBeCloseTo(shiftSec, 1);
    expect(facts.durationSec).toBeCloseTo(6, 1);
    expect(facts.warnings).toEqual([]);
  },
);

test('reads chapters with their times and titles', async () => {
  const list = await put(
    'chapters.txt',
    ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=2\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1\nSTART=2\nEND=6\n',
  );
  const path = await makeClip(dir, 'chapters.mp4', ['-i', good, '-i', list, '-map_metadata', '1', '-c', 'copy']);
  expect((await factsOf(path)).chapters).toEqual([
    { title: 'One', startSec: 0, endSec: 2 },
    { title: 'Chapter 2', startSec: 2, endSec: expect.closeTo(6, 1) },
  ]);
});

test.each<{ what: string; kind: string; says?: string; make: () => Promise<string> }>([
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
  { what: 'a HEIC picture', kind: 'not-media', says: 'still image .HEIC', make: () => put('a.heic', heic()) },
  { what: 'an MP4 with a broken box', kind: 'undecodable', says: 'damaged', make: () => put('b.mp4', brokenBox()) },
  {
    what: 'an encrypted MP4',
    kind: 'undecodable',
    says: 'encrypted samples',
    make: () => {
      const key = '00112233445566778899aabbccddeeff';
      const scheme = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key];
      return makeClip(dir, 'encrypted.mp4', ['-i', good, '-c', 'copy', ...scheme]);
    },
  },
  { what: 'xHE-AAC', kind: 'undecodable', says: 'xHE-AAC', make: () => makeUsac() },
  {
    what: 'half of an MP4 with its index',
    kind: 'truncated',
    make: async () =>
      cut(await makeClip(dir, 'fast.mp4', ['-i', good, '-c', 'copy', '-movflags', '+faststart']), 'fast2.mp4', 0.5),
  },
  {
    what: 'half an FLV file',
    kind: 'truncated',
    make: async () => cut(await makeClip(dir, 'whole.flv', ['-i', good, '-c', 'copy']), 'half.flv', 0.5),
  },
  { what: '40,000 tracks', kind: 'too-many-streams', make: () => put('many.mkv', manyTracks(40_000)) },
  {
    what: 'a frame of 16000x16000',
    kind: 'frame-too-large',
    make: () => hugeFrame(),
  },
  {
    what: 'three seconds of audio whose times jump by half a day',
    kind: 'undecodable',
    make: () => {
      const leap = 'setts=ts=TS+if(gt(N\\,60)\\,1000*40000\\,0)';
      return makeClip(dir, 'leap.mkv', ['-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'aac', '-bsf:a', leap]);
    },
  },
  {
    what: 'only subtitles',
    kind: 'no-playable-stream',
    make: async () => {
      const srt = await put('one.srt', '1\n00:00:00,000 --> 00:00:01,000\nhello\n');
      return makeClip(dir, 'subs.mkv', ['-i', srt]);
    },
  },
])('refuses $what as $kind', async ({ kind, says = '', make }) => {
  const fault = await probe(await make());
  expect(fault).toMatchObject({ kind, message: expect.stringMatching(new RegExp(`^Expected .*${says}`)) });
});

test('reports truncated audio that is longer than complete video', async () => {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'anoisesrc=d=40'];
  const whole = await makeClip(dir, 'late.mp4', [...inputs, '-c:a', 'aac', '-movflags', '+faststart']);
  const path = await cut(whole, 'late2.mp4', 0.95);
  const [signal, isWhole] = [new AbortController().signal, Promise.resolve(true)];
  const facts = await probeSource(path, (await stat(path)).size, signal, isWhole);
  expect(facts).toMatchObject({ warnings: [expect.stringContaining('ends early')] });
});

test('does not access the network for a playlist with a hostname', async () => {
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const path = await put('remote.mp4', playlist(`http://127.0.0.1:${port}/a.ts`));
  expect(await probe(path)).toMatchObject({ kind: 'not-media' });
  expect(connections).toBe(0);
});

test('accepts a slightly truncated file with its actual length and a warning', async () => {
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

test('reads rate, sizes, times and language of an ordinary file', async () => {
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

test('accepts audio with a cover image, which is not treated as video, and computes a missing length', async () => {
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
