import { describe, expect, test } from 'vitest';
import { encode, runTool, splitStream } from '../../../test/support/media/read-test-media.ts';
import { AAC_FRAME_TICKS, AAC_SEGMENT_FRAMES, createAacSegmenter } from './aac.ts';
import { type Fragment, readFragment } from './fragment.ts';
import { normaliseInit } from './init-segment.ts';
import { presentationDelayTicks } from './presentation-delay.ts';
import type { Segment } from './segment.ts';

const WHOLE_TRACK = { sampleRateHz: 48000, firstSegment: 0, primingFrames: 1 };

const TONE = '0.5*cos(440*2*PI*t)';

/** A tone with a loud first sample that reveals a lost or kept priming frame. */
const stream = encode([
  ...['-f', 'lavfi', '-i', `aevalsrc=${TONE}|${TONE}:s=44100:d=9`, '-af', 'aresample=async=1:first_pts=0'],
  ...['-ac', '2', '-ar', '48000', '-c:a', 'aac', '-b:a', '96k'],
  ...['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof', '-frag_duration', '2000000'],
]);

function segmentsOf(fragments: readonly Fragment[]): Segment[] {
  const segmenter = createAacSegmenter(WHOLE_TRACK);
  return [...fragments.flatMap((fragment) => segmenter.push(fragment)), ...segmenter.end()];
}

function bytesOf(segments: readonly Segment[]): Buffer {
  return Buffer.concat(segments.flatMap((it) => it.fragments.flatMap(({ head, payload }) => [head, payload])));
}

describe('an AAC track', () => {
  test('has segments of 188 frames from tick 0, and a shorter last segment', async () => {
    const { fragments } = splitStream(await stream);
    const segments = segmentsOf(fragments);
    // 9 s are 421.9 frames. The encoder adds a priming frame, which the segmenter drops.
    expect(segments.map((it) => it.durationTicks / AAC_FRAME_TICKS)).toEqual([188, 188, 46]);
    expect(segments.map((it) => it.startTick)).toEqual([0, 192_512, 385_024]);
    const reread = segments.map((it) => readFragment(bytesOf([it])));
    expect(reread.map((it) => it.baseTick)).toEqual([0, 192_512, 385_024]);
    const samples = reread.flatMap((it) => it.samples);
    const offsets = new Set(samples.map((it) => it.compositionOffsetTicks));
    expect([...offsets]).toEqual([presentationDelayTicks(48_000)]);
    expect(samples.every((it) => it.isSync && it.durationTicks === 1024)).toBe(true);
  });

  test('returns a segment as soon as its last frame arrives', async () => {
    const { fragments } = splitStream(await stream);
    const segmenter = createAacSegmenter(WHOLE_TRACK);
    let frames = -WHOLE_TRACK.primingFrames;
    let given = 0;
    for (const fragment of fragments) {
      frames += fragment.samples.length;
      given += segmenter.push(fragment).length;
      expect(given).toBe(Math.floor(frames / AAC_SEGMENT_FRAMES));
    }
  });

  test('starts at 0 for an independent reader and decodes to the source audio', async () => {
    const { init, fragments } = splitStream(await stream);
    const file = Buffer.concat([normaliseInit(init), bytesOf(segmentsOf(fragments))]);
    const times = await runTool(
      'ffprobe',
      ['-v', 'warning', '-show_entries', 'packet=pts', '-of', 'csv=p=0', 'pipe:0'],
      file,
    );
    expect(times.stderr).toBe('');
    expect(times.stdout.toString().split('\n').slice(0, 3)).toEqual(['0', '1024', '2048']);
    const decoded = await runTool(
      'ffmpeg',
      ['-v', 'warning', '-i', 'pipe:0', '-ac', '1', '-f', 's16le', 'pipe:1'],
      file,
    );
    expect(decoded.stderr).toBe('');
    expect(decoded.stdout.length / 2).toBe(422 * AAC_FRAME_TICKS);
    // After the first frame, which has no overlapping predecessor, the signal is a 440 Hz cosine from sample 0 on.
    const errors = Array.from({ length: 4096 }, (_, index) => {
      const at = 2048 + index;
      return Math.abs(decoded.stdout.readInt16LE(at * 2) / 32768 - 0.5 * Math.cos((440 * 2 * Math.PI * at) / 48000));
    });
    expect(Math.max(...errors)).toBeLessThan(0.05);
  });
});

describe('an AAC run', () => {
  test('is rejected if it has a gap between fragments', async () => {
    const [first, , ...rest] = splitStream(await stream).fragments;
    const broken = first === undefined ? rest : [first, ...rest];
    expect(() => segmentsOf(broken)).toThrow(/Expected the next AAC fragment at tick 96256, got 192512/);
  });

  test('is rejected if it has a short frame before its last one', async () => {
    const [first] = splitStream(await stream).fragments;
    const samples = (first?.samples ?? []).map((sample, index) =>
      index === 3 ? { ...sample, durationTicks: 800 } : sample,
    );
    expect(() => createAacSegmenter(WHOLE_TRACK).push({ baseTick: 0, samples, payload: Buffer.alloc(0) })).toThrow(
      'Expected AAC frames of 1024 ticks, got one of 800.',
    );
  });

  test('is rejected if it ends within the priming frames', () => {
    expect(() => createAacSegmenter(WHOLE_TRACK).end()).toThrow('priming frames, but the run ended');
  });

  test('may start at a later segment', async () => {
    const segmenter = createAacSegmenter({ sampleRateHz: 48000, firstSegment: 7, primingFrames: 4 });
    const segments = splitStream(await stream).fragments.flatMap((fragment) => segmenter.push(fragment));
    expect(segments.map((it) => [it.number, it.startTick])).toEqual([
      [7, 7 * 192_512],
      [8, 8 * 192_512],
    ]);
  });
});
