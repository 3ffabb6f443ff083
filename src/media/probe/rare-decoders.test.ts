import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClip, makeFolder, probe } from '../../../test/support/media/run-clip.ts';
import { setMediaRules } from '../ffmpeg/run-sandboxed.ts';

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=176x144:r=10:d=0.5'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=d=0.5'];
const FORMATS: Record<string, string> = { flashsv: 'flv', rv10: 'rm', snow: 'nut', sonic: 'nut' };
const RARE = ['magicyuv', 'snow', 'flashsv', 'rv10', 'cinepak', 'utvideo', 'ffvhuff', 'huffyuv', 'zmbv'];

/** Creates a clip in a rare codec, alone or with an additional track in a common codec. */
function makeRare(codec: string, more: readonly string[] = []): Promise<string> {
  const name = `${codec}-${more.length}.${FORMATS[codec] ?? 'avi'}`;
  const pixels = codec === 'cinepak' ? ['-pix_fmt', 'rgb24'] : [];
  return makeClip(dir, name, [...PICTURE, ...more, '-c:v', codec, '-strict', '-2', ...pixels]);
}

const refusal = (codec: string) => ({
  kind: 'undecodable',
  message: expect.stringMatching(`^Expected common codecs .*, got ${codec}\\. Convert .*MILLRACE_RARE_DECODERS=on`),
});

test.each(RARE)('rejects video in the rare codec %s', async (codec) => {
  expect(await probe(await makeRare(codec))).toMatchObject(refusal(codec));
});

test('rejects audio in a rare codec, even next to tracks in common codecs', async () => {
  const sonic = ['-c:v', 'ffv1', '-c:a', 'sonic', '-strict', '-2'];
  const path = await makeClip(dir, 'sonic.nut', [...PICTURE, ...SOUND, ...sonic]);
  expect(await probe(path)).toMatchObject(refusal('sonic'));
  expect(await probe(await makeRare('utvideo', SOUND))).toMatchObject(refusal('utvideo'));
});

test('accepts rare codecs if the administrator allows them', async () => {
  const path = await makeRare('magicyuv');
  setMediaRules({ sandbox: 'auto', allowsRareDecoders: true });
  const facts = await probe(path);
  setMediaRules({ sandbox: 'auto', allowsRareDecoders: false });
  expect(facts).toMatchObject({ video: { codec: 'magicyuv' } });
});

/**
 * Encodes a source with each encoder into one file, with one track per encoder. ffprobe opens the decoder of each
 * track.
 */
async function makeUsual(name: string, encoders: readonly (readonly [string, ...string[]])[]): Promise<string> {
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=720x576:r=25:d=0.2', '-f', 'lavfi', '-i', 'sine=d=0.2:r=48000'];
  const kind = name.endsWith('.mka') ? 'a' : 'v';
  const tracks = encoders.flatMap(([encoder, ...options], index) => [
    ...['-map', kind === 'a' ? '1' : '0', `-c:${index}`, encoder],
    ...options.map((option) => (option.startsWith('-') ? `${option}:${index}` : option)),
  ]);
  return makeClip(dir, name, [...inputs, ...tracks, '-strict', '-2']);
}

test.each([
  {
    name: 'usual.mkv',
    encoders: [
      ...['libx264', 'libx265', 'libsvtav1', 'libvpx', 'libvpx-vp9', 'ffv1', 'mjpeg', 'mpeg1video', 'mpeg2video'],
      ...['mpeg4', 'msmpeg4', 'msmpeg4v2', 'wmv1', 'wmv2', 'flv', 'dvvideo', 'png', 'jpeg2000', 'libtheora'],
    ].map((encoder): [string, ...string[]] => [encoder]),
  },
  {
    name: 'usual.mov',
    encoders: [
      ...['prores_ks', 'qtrle', 'cfhd', 'v210'].map((encoder): [string] => [encoder]),
      ['dnxhd', '-profile', 'dnxhr_sq', '-pix_fmt', 'yuv422p'],
      ['rawvideo', '-pix_fmt', 'uyvy422'],
    ] satisfies [string, ...string[]][],
  },
  {
    name: 'usual.mka',
    encoders: [
      ...['aac', 'libmp3lame', 'mp2', 'ac3', 'eac3', 'flac', 'alac', 'libopus', 'libvorbis', 'wmav1', 'wmav2', 'dca'],
      ...['truehd', 'wavpack', 'tta', 'adpcm_ms', 'adpcm_ima_wav', 'pcm_mulaw', 'pcm_s24le', 'pcm_f32le'],
    ].map((encoder): [string, ...string[]] => [encoder]),
  },
])('reads the output of a common encoder: $name', async ({ name, encoders }) => {
  expect(await probe(await makeUsual(name, encoders))).not.toHaveProperty('kind');
});
