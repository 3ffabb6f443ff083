import { describe, expect, test } from 'vitest';
import { encode, FRAGMENTED, h264Args, runTool, splitStream } from '../../../test/support/media/read-test-media.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import type { Rational } from '../probe/source-facts.ts';
import type { CutList } from '../timeline/cut-list.ts';
import { type Fragment, readFragment } from './fragment.ts';
import { normaliseInit } from './init-segment.ts';
import type { Segment } from './segment.ts';
import { createVideoSegmenter, type VideoRun } from './segmenter.ts';

const SEGMENT_FRAMES = 48;
const GOP = 24;

function frameCuts(rate: Rational, totalFrames: number): CutList {
  const startTicks = [];
  for (let frame = 0; frame < totalFrames; frame += SEGMENT_FRAMES) startTicks.push(frame * rate.den);
  const grid = { kind: 'frames', rate, segmentFrames: SEGMENT_FRAMES, totalFrames } as const;
  return { timescale: rate.num, startTicks, endTicks: totalFrames * rate.den, grid };
}

function segmentsOf(run: VideoRun, fragments: readonly Fragment[]): Segment[] {
  const segmenter = createVideoSegmenter(run);
  return [...fragments.flatMap((fragment) => segmenter.push(fragment)), ...segmenter.end()];
}

function segmentBytes(segments: readonly Segment[]): Buffer {
  return Buffer.concat(segments.flatMap((it) => it.fragments.flatMap(({ head, payload }) => [head, payload])));
}

async function packetTimes(file: Buffer): Promise<{ pts: number[]; dts: number[] }> {
  const args = ['-v', 'warning', '-show_entries', 'packet=pts,dts', '-of', 'csv=p=0', 'pipe:0'];
  const { stdout, stderr } = await runTool('ffprobe', args, file);
  expect(stderr).toBe('');
  const rows = stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  return { pts: rows.map((row) => row[0] ?? Number.NaN), dts: rows.map((row) => row[1] ?? Number.NaN) };
}

function steps(values: readonly number[]): number[] {
  return [...new Set(values.slice(1).map((value, index) => value - (values[index] ?? 0)))];
}

describe.each([
  { name: '24', rate: { num: 24, den: 1 } },
  { name: '24000/1001', rate: { num: 24000, den: 1001 } },
])('runs of different processes at $name fps', ({ rate }) => {
  const total = 4 * SEGMENT_FRAMES + 17;
  const cutList = frameCuts(rate, total);

  async function encodeRun(firstSegment: number, count: number): Promise<{ init: Buffer; segments: Segment[] }> {
    const from = firstSegment * SEGMENT_FRAMES;
    const frames = Math.min(count * SEGMENT_FRAMES, total - from);
    const { init, fragments } = splitStream(await encode(h264Args(rate, from, frames, GOP)));
    expect(fragments.flatMap((it) => it.samples).some((it) => it.compositionOffsetTicks < 0)).toBe(true);
    return {
      init: normaliseInit(init),
      segments: segmentsOf({ cutList, firstSegment, segmentCount: count }, fragments),
    };
  }

  test('join into one stream with regular times, the exact frame count and one init segment', async () => {
    const runs = await Promise.all([encodeRun(0, 2), encodeRun(2, 1), encodeRun(3, 2)]);
    expect(new Set(runs.map((run) => run.init.toString('hex'))).size).toBe(1);
    const segments = runs.flatMap((run) => run.segments);
    expect(segments.map((it) => [it.number, it.startTick, it.durationTicks / rate.den])).toEqual(
      cutList.startTicks.map((start, index) => [index, start, index === 4 ? 17 : SEGMENT_FRAMES]),
    );
    const file = Buffer.concat([runs[0]?.init ?? Buffer.alloc(0), segmentBytes(segments)]);
    const { pts, dts } = await packetTimes(file);
    expect(steps(dts)).toEqual([rate.den]);
    expect(steps(pts.toSorted((left, right) => left - right))).toEqual([rate.den]);
    const decoded = await runTool('ffmpeg', ['-v', 'warning', '-i', 'pipe:0', '-f', 'framemd5', 'pipe:1'], file);
    expect(decoded.stderr).toBe('');
    expect(
      decoded.stdout
        .toString()
        .split('\n')
        .filter((line) => /^0,/.test(line)),
    ).toHaveLength(total);
  });

  test('have a first sample decoded at the cut and presented after the presentation delay', async () => {
    const { segments } = await encodeRun(2, 2);
    const firsts = segments.map((it) => readFragment(segmentBytes([it]).subarray(0, firstFragmentBytes(it))));
    expect(firsts.map((it) => it.baseTick)).toEqual([cutList.startTicks[2], cutList.startTicks[3]]);
    const delayTicks = Math.round(0.2 * cutList.timescale);
    expect(firsts.map((it) => it.samples[0]?.compositionOffsetTicks)).toEqual([delayTicks, delayTicks]);
    expect(firsts.map((it) => it.samples[0]?.isSync)).toEqual([true, true]);
  });
});

function firstFragmentBytes(segment: Segment): number {
  const [first] = segment.fragments;
  return first === undefined ? 0 : first.head.length + first.payload.length;
}

describe('a run that differs from its plan', () => {
  const rate = { num: 24, den: 1 };
  const cutList = frameCuts(rate, 144);
  const stream = encode(h264Args(rate, 0, 144, GOP));
  const fragments = async (): Promise<Fragment[]> => splitStream(await stream).fragments;

  test('is rejected if a fragment in the middle is missing', async () => {
    const [first, , ...rest] = await fragments();
    expect(first).toBeDefined();
    const broken = first === undefined ? rest : [first, ...rest];
    expect(() => segmentsOf({ cutList, firstSegment: 0 }, broken)).toThrow(
      'Expected segment 0 to last to tick 48, got 24 frames and none at tick 24.',
    );
  });

  test('is rejected if it has more frames than the timeline', async () => {
    const short = { ...cutList, startTicks: [0, 48], endTicks: 96 };
    await expect(fragments().then((all) => segmentsOf({ cutList: short, firstSegment: 0 }, all))).rejects.toThrow(
      'Expected frame 48 of segment 1 not to exist, because the segment ends at tick 96, got one at tick 96.',
    );
  });

  test('is rejected if a cut has no sync sample', async () => {
    const shifted = { ...cutList, startTicks: [0, 44, 88] };
    await expect(fragments().then((all) => segmentsOf({ cutList: shifted, firstSegment: 0 }, all))).rejects.toThrow(
      'Expected frame 44 of segment 0 not to exist, because the segment ends at tick 44, got one at tick 44.',
    );
  });

  test('is rejected if it ends before its last segment, unless the source may be shorter than declared', async () => {
    const all = (await fragments()).slice(0, 3);
    const run = { cutList, firstSegment: 0 };
    expect(() => segmentsOf(run, all)).toThrow(BrokenMedia);
    const early = segmentsOf({ ...run, mayEndEarly: true }, all);
    expect(early.map((it) => it.durationTicks)).toEqual([48, 24]);
  });

  test('is rejected if it has no output', () => {
    expect(() => createVideoSegmenter({ cutList, firstSegment: 1 }).end()).toThrow(
      'Expected frames of segment 1, but the run ended without any.',
    );
  });

  test('is reported as a planning error if its segments are outside the timeline', () => {
    expect(() => createVideoSegmenter({ cutList, firstSegment: 2, segmentCount: 2 })).toThrow('within 0 to 3');
  });

  test('is cut within a fragment if the cut has a sync sample', async () => {
    const all = await fragments();
    const joined = [joinFragments(all.slice(0, 3)), joinFragments(all.slice(3))];
    const run = { cutList, firstSegment: 0 };
    const sizes = (segments: Segment[]): number[] =>
      segments.map((it) => it.fragments.reduce((sum, { payload }) => sum + payload.length, 0));
    expect(sizes(segmentsOf(run, joined))).toEqual(sizes(segmentsOf(run, all)));
  });
});

function joinFragments(fragments: readonly Fragment[]): Fragment {
  const [first] = fragments;
  if (first === undefined) throw new Error('Expected a fragment to join, got none.');
  const samples = fragments.flatMap((it) => it.samples);
  return { ...first, samples, payload: Buffer.concat(fragments.map((it) => it.payload)) };
}

describe('a source grid with uneven frames', () => {
  // Every third frame is up to half a frame late. Keyframes are forced at frame 36.
  const pts = Array.from({ length: 72 }, (_, frame) => Math.round(((frame + (frame % 3) * 0.25) * 12288) / 24));
  const cutTick = pts[36] ?? 0;
  const cutList: CutList = { timescale: 12288, startTicks: [0, cutTick], endTicks: 36864, grid: { kind: 'source' } };
  const stream = encode([
    ...['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=24:d=3,settb=1/12288,setpts='(N+mod(N\\,3)*0.25)*512'`],
    ...['-fps_mode', 'passthrough', '-enc_time_base', '-1', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '35'],
    ...['-g', '48', '-keyint_min', '1', '-sc_threshold', '0', '-forced-idr', '1', '-force_key_frames', '1.5'],
    ...['-video_track_timescale', '12288', ...FRAGMENTED],
  ]);

  test('keeps presentation times with continuous decode times up to the next cut', async () => {
    const { fragments } = splitStream(await stream);
    const segments = segmentsOf({ cutList, firstSegment: 0, expectedTicks: pts }, fragments);
    expect(segments.map((it) => it.durationTicks)).toEqual([cutTick, 36864 - cutTick]);
    const samples = segments.flatMap((it) => it.fragments.flatMap((fragment) => fragment.samples));
    let decodeTick = 0;
    const received = samples.map((sample) => {
      decodeTick += sample.durationTicks;
      return decodeTick - sample.durationTicks + sample.compositionOffsetTicks;
    });
    expect(received.toSorted((left, right) => left - right)).toEqual(pts);
    expect(decodeTick).toBe(36864);
  });

  test('may end early, with a last frame as long as the previous one', async () => {
    const { fragments } = splitStream(await stream);
    const longer = { ...cutList, endTicks: 40_000 };
    const run = { cutList: longer, firstSegment: 0, expectedTicks: [...pts, 39_000] };
    const segments = segmentsOf(run, fragments);
    const [before = 0, last = 0] = pts.slice(-2);
    expect(segments.at(-1)?.durationTicks).toBe(last + (last - before) - cutTick);
  });

  test('is rejected if a frame of the source is missing', async () => {
    const { fragments } = splitStream(await stream);
    const more = [...pts.slice(0, 10), (pts[9] ?? 0) + 5, ...pts.slice(10)];
    expect(() => segmentsOf({ cutList, firstSegment: 0, expectedTicks: more }, fragments)).toThrow(
      `Expected frame 10 of segment 0 at tick ${(pts[9] ?? 0) + 5}, got one at tick ${pts[10]}.`,
    );
  });
});
