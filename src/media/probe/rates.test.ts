import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast'];
const REORDERED = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '3'];
const SOURCES = [
  { name: 'reordered.mkv', codec: REORDERED },
  { name: 'reordered.flv', codec: REORDERED },
  { name: 'sorenson.flv', codec: ['-c:v', 'flv1'] },
  { name: 'theora.ogv', codec: ['-c:v', 'libtheora', '-q:v', '5'] },
  { name: 'web.webm', codec: ['-c:v', 'libvpx', '-deadline', 'realtime'] },
  { name: 'plain.ts', codec: X264 },
];

/** Combinations of length and audio. Each is tested with every rate. */
const KINDS = [
  { rate: '30000/1001', sec: 0.5, hasSound: true },
  { rate: '30000/1001', sec: 1, hasSound: false },
  { rate: '25', sec: 0.5, hasSound: false },
  { rate: '25', sec: 1, hasSound: true },
];

/** Containers with about one second of media declare wrong rates: 120 fps, or a fifth of the actual rate. */
test.each(SOURCES.flatMap((source) => KINDS.map((kind) => ({ ...source, ...kind }))))(
  '$name with $sec s at $rate keeps its rate and length, with audio: $hasSound',
  async ({ name, codec, ...clip }) => {
    const { rate, sec, hasSound } = clip;
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=96x64:r=${rate}:d=${sec}`];
    const sound = hasSound ? ['-f', 'lavfi', '-i', `sine=d=${sec}:sample_rate=44100`] : [];
    const path = await makeClip(dir, name, [...picture, ...sound, ...codec, '-pix_fmt', 'yuv420p']);
    const facts = await factsOf(path);
    const [num = 0, den = 1] = rate.split('/').map(Number);
    expect(facts.video).toMatchObject({ rate: { num, den }, isVariableRate: false });
    expect(Math.abs(facts.durationSec - sec)).toBeLessThan(0.15);
  },
);
