import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ask,
  collect,
  decodeRaw,
  factsOf,
  frameHashes,
  makeClip,
  makeFolder,
} from '../../../test/support/media/run-clip.ts';
import { BT709 } from '../probe/colours.ts';
import type { SourceFacts } from '../probe/source-facts.ts';
import { planChunks } from '../timeline/chunk-plan.ts';
import { type CutList, planFrameGrid } from '../timeline/cut-list.ts';
import { h264 } from './codecs/h264.ts';
import type { VideoCodec } from './codecs/video-codec.ts';
import { type EncodeJob, planEncode } from './encode.ts';
import { planLadder } from './ladder.ts';

/** Lossless x264, so that every decoded frame can be compared with the source by hash. */
const lossless: VideoCodec = {
  ...h264,
  encoderArgv: ({ gopFrames }) =>
    ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-bf', '2', '-g', String(gopFrames)].concat([
      '-keyint_min',
      '1',
      '-sc_threshold',
      '0',
      '-forced-idr',
      '1',
      '-threads',
      '1',
      '-pix_fmt',
      'yuv420p',
    ]),
};

let dir = '';
let remove = async () => {};

beforeAll(async () => {
  ({ dir, remove } = await makeFolder());
});
afterAll(() => remove());

function job(facts: SourceFacts, cutList: CutList, codec: VideoCodec): EncodeJob {
  const rungs = planLadder(facts, { allowedRungs: [240] });
  const range = { fromSegment: 0, toSegment: cutList.startTicks.length };
  return { facts, cutList, range, rungs, codec, watermark: null, decoderThreads: 1, encoderThreads: 1 };
}

/** Encodes each segment in a separate process. Returns the hashes of its frames, per segment. */
async function hashesBySegment(path: string, whole: EncodeJob): Promise<string[][]> {
  const segments: string[][] = [];
  for (let fromSegment = 0; fromSegment < whole.range.toSegment; fromSegment += 1) {
    const plan = planEncode({ ...whole, range: { fromSegment, toSegment: fromSegment + 1 } });
    const { outputs } = await collect(plan, path);
    segments.push(await frameHashes(outputs[0] ?? Buffer.alloc(0)));
  }
  return segments;
}

const TAGS = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...TAGS];
const source = (rate: string, durationSec: number, size = '160x90') => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=s=${size}:r=${rate}:d=${durationSec}`,
];

describe('segments encoded by separate processes contain exactly the frames of the source', () => {
  test.each([
    { name: 'f23.mp4', rate: '24000/1001', durationSec: 10.01, argv: [...H264, '-bf', '3', '-g', '70'] },
    {
      name: 'open.mp4',
      rate: '24000/1001',
      durationSec: 10.01,
      argv: [...H264, '-bf', '3', '-g', '55', '-x264-params', 'open-gop=1'],
    },
    { name: 'f59.mkv', rate: '60000/1001', durationSec: 9.009, argv: [...H264, '-bf', '2', '-g', '130'] },
    { name: 'blind.ts', rate: '25', durationSec: 18, argv: [...H264, '-bf', '2', '-g', '60'] },
    { name: 'f29.avi', rate: '30000/1001', durationSec: 8.008, argv: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '40'] },
  ])('encodes $name at $rate without losing a frame at segment borders', async ({ name, rate, durationSec, argv }) => {
    const path = await makeClip(dir, name, [...source(rate, durationSec), ...argv]);
    const facts = await factsOf(path);
    // Declare the output's colours for the source too, so that nothing is converted.
    const tagged = { ...facts, video: facts.video === null ? null : { ...facts.video, colours: BT709 } };
    const cutList = planFrameGrid(tagged);
    const segments = await hashesBySegment(path, job(tagged, cutList, lossless));
    const wanted = await frameHashes(path);
    expect(facts.video?.isVariableRate).toBe(false);
    expect(segments.flat()).toEqual(wanted);
    expect(new Set(wanted).size).toBe(wanted.length);
  });

  test('interlaced and variable-rate sources have the same frames in segments as in one run', async () => {
    const pick = 'select=not(mod(n\\,3))+gt(mod(n\\,60)\\,40)';
    const vfr = await makeClip(dir, 'vfr.mp4', [...source('30', 12), '-vf', pick, '-fps_mode', 'vfr', ...H264]);
    const field = ['-vf', 'tinterlace=interleave_top,setfield=tff', '-flags', '+ilme+ildct', '-x264opts', 'tff=1'];
    const fields = await makeClip(dir, 'fields.mp4', [...source('50', 8, '160x96'), ...field, ...H264, '-g', '45']);
    for (const path of [vfr, fields]) {
      const facts = await factsOf(path);
      const whole = job(facts, planFrameGrid(facts), lossless);
      const { outputs } = await collect(planEncode(whole), path);
      const single = await frameHashes(outputs[0] ?? Buffer.alloc(0));
      const { grid } = whole.cutList;
      expect(single).toHaveLength(grid.kind === 'frames' ? grid.totalFrames : -1);
      expect((await hashesBySegment(path, whole)).flat()).toEqual(single);
      expect([facts.video?.isVariableRate, facts.video?.isInterlaced]).toEqual([path === vfr, path === fields]);
    }
  });
});

test('each half segment starts with a keyframe at time 0 and has the same init segment', async () => {
  const path = await makeClip(dir, 'keys.mp4', [...source('24000/1001', 10), ...H264]);
  const facts = await factsOf(path);
  const whole = job(facts, planFrameGrid(facts), h264);
  const inits = new Set<string>();
  for (const range of [
    { fromSegment: 0, toSegment: 2 },
    { fromSegment: 2, toSegment: 3 },
  ]) {
    const { outputs } = await collect(planEncode({ ...whole, range }), path);
    const media = outputs[0] ?? Buffer.alloc(0);
    inits.add(media.subarray(0, media.indexOf('moof') - 4).toString('hex'));
    const keys = (await ask(media, 'packet=dts,flags')).flatMap((line, index) => (line.includes('K') ? [index] : []));
    expect(keys).toEqual(range.fromSegment === 0 ? [0, 48, 96, 144] : [0]);
    expect((await ask(media, 'packet=dts')).slice(0, 3).map(Number)).toEqual([0, 1001, 2002]);
    expect(await ask(media, 'stream=time_base,pix_fmt,color_space')).toEqual(['yuv420p,bt709,1/24000']);
  }
  expect(inits.size).toBe(1);
});

test('encodes all rungs upright with square pixels from one decode', async () => {
  const turned = ['-vf', 'scale=640:480,setsar=4/3', ...H264, '-t', '1'];
  const flat = await makeClip(dir, 'flat.mp4', [...source('25', 1), ...turned]);
  const path = await makeClip(dir, 'turned.mp4', ['-display_rotation', '90', '-i', flat, '-c', 'copy']).catch(() =>
    makeClip(dir, 'turned.mp4', ['-i', flat, '-c', 'copy', '-metadata:s:v:0', 'rotate=90']),
  );
  const facts = await factsOf(path);
  expect(facts.video).toMatchObject({ displayWidthPx: 480, displayHeightPx: 853 });
  const rungs = planLadder(facts, { allowedRungs: [240, 360, 480] });
  const { outputs } = await collect(planEncode({ ...job(facts, planFrameGrid(facts), h264), rungs }), path);
  const sizes = await Promise.all(outputs.map((output) => ask(output, 'stream=width,height,sample_aspect_ratio')));
  expect(sizes.flat()).toEqual(['480,854,1:1', '360,640,1:1', '240,426,1:1']);
});

test.each([{ name: 'late.mp4' }, { name: 'late.ts' }])(
  '$name: repeats the first frame of late video and the last frame of short video',
  async ({ name }) => {
    const picture = await makeClip(dir, `picture-${name}.mp4`, [...source('25', 3), ...H264]);
    const argv = ['-itsoffset', '0.5', '-i', picture, '-f', 'lavfi', '-i', 'sine=d=9', '-c:v', 'copy', '-c:a', 'aac'];
    const path = await makeClip(dir, name, argv);
    const facts = await factsOf(path);
    const whole = job(facts, planFrameGrid(facts), lossless);
    const segments = await hashesBySegment(path, whole);
    const frames = segments.flat();
    expect(segments.map((segment) => segment.length)).toEqual([100, 100, frames.length - 200]);
    expect(Math.abs(frames.length / 25 - facts.durationSec)).toBeLessThan(0.04);
    expect(new Set(frames.slice(0, 13)).size).toBe(1);
    // 75 frames: the first lasts half a second, and the last lasts to the end.
    expect(new Set(frames).size).toBe(75);
    expect(new Set(frames.slice(87)).size).toBe(1);
  },
);

test("encoded frames keep the source's times on its own grid, with a keyframe at each cut", async () => {
  const pick = 'select=not(mod(n\\,3))+gt(mod(n\\,60)\\,40)';
  const argv = ['-vf', pick, '-fps_mode', 'vfr', ...H264, '-bf', '2', '-force_key_frames', '0,2.2,5.1,7.9'];
  const path = await makeClip(dir, 'grid.mp4', [...source('30', 10), ...argv, '-g', '300']);
  const facts = await factsOf(path);
  const packets = (await ask(path, 'packet=pts,flags')).map((line) => line.split(','));
  const startTicks = packets.filter(([, flags]) => flags?.includes('K')).map(([pts]) => Number(pts));
  const all = packets.map(([pts]) => Number(pts)).sort((a, b) => a - b);
  const timescale = Number((await ask(path, 'stream=time_base'))[0]?.split('/')[1]);
  const cutList: CutList = { timescale, startTicks, endTicks: 10 * timescale, grid: { kind: 'source' } };
  expect(startTicks).toHaveLength(4);
  for (const [fromSegment, from] of startTicks.entries()) {
    const to = startTicks[fromSegment + 1] ?? Number.POSITIVE_INFINITY;
    const range = { fromSegment, toSegment: fromSegment + 1 };
    const plan = planEncode({ ...job(facts, cutList, h264), range });
    const { outputs } = await collect(plan, path);
    // The seek target must be after the frame at the cut and before the next frame, so that no earlier frame is
    // decoded.
    const soughtTick = Number(plan.argv[plan.argv.indexOf('-ss') + 1]) * timescale;
    const place = all.indexOf(from);
    if (fromSegment > 0)
      expect([all[place], all[place + 1], soughtTick].sort((x = 0, y = 0) => x - y)[1]).toBe(soughtTick);
    const media = (await ask(outputs[0] ?? Buffer.alloc(0), 'packet=pts,flags')).map((line) => line.split(','));
    const times = media.map(([pts]) => Number(pts)).sort((a, b) => a - b);
    const wanted = all.filter((pts) => pts >= from && pts < to);
    expect(times.map((pts) => pts - (times[0] ?? 0))).toEqual(wanted.map((pts) => pts - from));
    expect(media[0]?.[1]).toContain('K');
  }
});

test('converts HDR to 8-bit BT.709', async () => {
  const hdr = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-x265-params'];
  const tags = 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  const path = await makeClip(dir, 'hdr.mp4', [...source('25', 0.2), '-vf', 'scale=160:90', ...hdr, tags]);
  const facts = await factsOf(path);
  expect(facts.video).toMatchObject({ hdr: 'pq', bitDepth: 10, colorMatrix: 'bt2020' });
  const { outputs } = await collect(planEncode(job(facts, planFrameGrid(facts), h264)), path);
  const media = outputs[0] ?? Buffer.alloc(0);
  const stated = await ask(media, 'stream=pix_fmt,color_space,color_transfer,color_primaries');
  expect(stated).toEqual(['yuv420p,bt709,bt709,bt709']);
  const luma = await decodeRaw(media, 'v');
  expect(luma[0]).toBeGreaterThan(40);
  expect(luma[0]).toBeLessThan(235);
});

test.each([{ size: '2:2' }, { size: '1:1' }, { size: '321:181' }, { size: '90:320' }])(
  'encodes a playable rendition of a source of $size',
  async ({ size }) => {
    const picture = `testsrc2=s=400x400:d=0.2,format=rgb24,crop=${size}:exact=1`;
    const argv = ['-f', 'lavfi', '-i', picture, '-c:v', 'ffv1'];
    const path = await makeClip(dir, `size-${size.replace(':', 'x')}.mkv`, argv);
    const facts = await factsOf(path);
    const cutList = planFrameGrid(facts);
    expect(planChunks(cutList)).toEqual([{ fromSegment: 0, toSegment: 1 }]);
    const { outputs } = await collect(planEncode(job(facts, cutList, h264)), path);
    expect(await frameHashes(outputs[0] ?? Buffer.alloc(0))).toHaveLength(5);
  },
);
