import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, decodeRaw, factsOf, makeClip, makeFolder } from '../../../test/support/media/run-clip.ts';
import { planFrameGrid } from '../timeline/cut-list.ts';
import { h264 } from './codecs/h264.ts';
import { planEncode } from './encode.ts';
import { planLadder } from './ladder.ts';

let dir = '';
let remove = async () => {};
beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

const CLIP_FRAMES = 40;
const SHADES = 8;

/** Joins clips with `-c copy`. The audio of each clip is longer than its video by a fraction of a frame. */
async function join30(name: string, clips: number, extraSec: number): Promise<string> {
  const shade = `geq=lum='mod(N\\,${SHADES})*24+30':cb=128:cr=128`;
  const picture = ['-f', 'lavfi', '-i', `color=s=128x96:r=30:d=${CLIP_FRAMES / 30},${shade}`];
  const sound = ['-f', 'lavfi', '-i', `anullsrc=r=48000:cl=mono:d=${CLIP_FRAMES / 30 + extraSec}`];
  const codec = ['-c:v', 'mpeg4', '-q:v', '2', '-g', '10', '-c:a', 'pcm_s16le'];
  const clip = await makeClip(dir, `part-${name}`, [...picture, ...sound, ...codec]);
  const list = join(dir, `${name}.txt`);
  await writeFile(list, `file '${clip}'\n`.repeat(clips));
  return makeClip(dir, name, ['-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy']);
}

/**
 * Compares the shades of encoded frames and counts the steps between adjacent frames that are not exactly one source
 * frame.
 */
async function countFaults(path: string): Promise<number> {
  const facts = await factsOf(path);
  const cutList = planFrameGrid(facts);
  const whole = { fromSegment: 0, toSegment: cutList.startTicks.length };
  const rungs = planLadder(facts, { allowedRungs: [240] });
  const job = {
    facts,
    cutList,
    range: whole,
    rungs,
    codec: h264,
    watermark: null,
    decoderThreads: 1,
    encoderThreads: 1,
  };
  const { outputs } = await collect(planEncode(job), path);
  const shades = [...(await decodeRaw(outputs[0] ?? Buffer.alloc(0), 'v'))].map((grey) =>
    Math.round((grey - 16.3) / 27.95),
  );
  const steps = shades.slice(1).map((shade, index) => (shade - (shades[index] ?? 0) + SHADES) % SHADES);
  return steps.filter((step) => step !== 1).length;
}

// Matroska rounds times to a millisecond.
test('joined clips that are half a frame off the grid have at most two dropped or repeated frames', async () => {
  expect(await countFaults(await join30('joined.mkv', 2, 1 / 60))).toBeLessThanOrEqual(2);
});
