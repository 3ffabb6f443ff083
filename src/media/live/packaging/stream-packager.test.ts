import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readFlvTag } from '../flv/flv-tag.ts';
import { aacConfig } from '../tracks/aac-config.ts';
import type { AccessUnit, TrackConfig } from '../tracks/access-unit.ts';
import { PART_TARGET_SEC } from './part-writer.ts';
import { type PackagedEvent, StreamPackager } from './stream-packager.ts';

const AUDIO = aacConfig(Buffer.from([0x11, 0x90]));
const VIDEO: TrackConfig = { ...AUDIO, kind: 'video', timescale: 90_000, frameRate: 25, frameTicks: 0, silence: null };
const NEW = { segment: 0, endMs: 0 };

/** Yields frames with 25 fps, two reordered frames, a keyframe every 2 s, and audio, as a publisher sends them. */
function* media(fromMs: number, lengthMs: number): Generator<AccessUnit> {
  let soundMs = fromMs;
  for (let ms = 0; ms < lengthMs; ms += 40) {
    const isKey = ms % 2_000 === 0;
    const dtsMs = fromMs + ms;
    yield { kind: 'video', dtsMs, ptsMs: dtsMs + (isKey ? 80 : 40), isKey, bytes: Buffer.alloc(100) };
    for (; soundMs < dtsMs + 40; soundMs += 1024 / 48) {
      const rounded = Math.floor(soundMs);
      yield { kind: 'audio', dtsMs: rounded, ptsMs: rounded, isKey: true, bytes: Buffer.alloc(20) };
    }
  }
}

function pushAll(packager: StreamPackager, units: Iterable<AccessUnit>): PackagedEvent[] {
  return [...units].flatMap((unit) => packager.push(unit)?.events ?? []);
}

const partsOf = (events: readonly PackagedEvent[], kind: string) =>
  events.flatMap((event) => (event.type === 'part' && event.part.kind === kind ? [event.part] : []));
const segmentsOf = (events: readonly PackagedEvent[], kind: string) =>
  events.flatMap((event) => (event.type === 'segment' && event.segment.kind === kind ? [event.segment.segment] : []));

test('parts stay within their target and segments begin with a keyframe that is decoded when it is shown', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: AUDIO }, NEW);
  const events = [...pushAll(packager, media(5_000, 6_000)), ...packager.end()];
  for (const [kind, timescale] of [
    ['video', 90_000],
    ['audio', 48_000],
  ] as const) {
    const segments = segmentsOf(events, kind);
    expect(segments.map(({ number }) => number)).toEqual([0, 1, 2]);
    for (const part of partsOf(events, kind)) {
      expect(part.durationTicks / timescale).toBeLessThanOrEqual(PART_TARGET_SEC);
    }
  }
  expect(segmentsOf(events, 'video').map(({ startTick }) => startTick)).toEqual([0, 180_000, 360_000]);
  for (const { fragments } of segmentsOf(events, 'video')) {
    expect(fragments[0]?.samples[0]).toMatchObject({ isSync: true, compositionOffsetTicks: 0 });
  }
});

test('a publisher that returns without video continues with the last keyframe, and its audio is complete', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: AUDIO }, NEW);
  const sound = (fromMs: number) => [...media(fromMs, 5_000)].filter(({ kind }) => kind === 'audio');
  expect(packager.push(sound(0)[0] as AccessUnit, false)).toBeNull();
  const first = [...pushAll(packager, media(0, 4_000)), ...packager.end()];
  const alone = sound(900_000).flatMap((unit) => packager.push(unit, true)?.events ?? []);
  const second = [...alone, ...packager.end()];
  for (const [kind, timescale] of [
    ['video', 90_000],
    ['audio', 48_000],
  ] as const) {
    const segments = [...segmentsOf(first, kind), ...segmentsOf(second, kind)];
    expect(segments.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
    segments.slice(1).forEach(({ startTick }, index) => {
      const before = segments[index];
      expect(startTick - (before?.startTick ?? 0) - (before?.durationTicks ?? 0)).toBe(0);
    });
    const seconds = segments.reduce((sum, { durationTicks }) => sum + durationTicks / timescale, 0);
    expect(Math.abs(seconds - 9)).toBeLessThan(0.2);
  }
});

test('a reconnecting publisher continues without a gap for any clock', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: AUDIO }, NEW);
  const first = [...pushAll(packager, media(0, 3_000)), ...packager.end()];
  const second = [...pushAll(packager, media(900_000, 4_000)), ...packager.end()];
  const segments = [...segmentsOf(first, 'video'), ...segmentsOf(second, 'video')];
  expect(segments.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
  segments.slice(1).forEach((segment, index) => {
    const before = segments[index];
    expect(segment.startTick).toBe((before?.startTick ?? 0) + (before?.durationTicks ?? 0));
  });
  expect(segmentsOf(second, 'audio').map(({ number }) => number)).toEqual([2, 3]);
});

test('audio that ends before the video is continued until no gap remains before the next period', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: AUDIO }, NEW);
  const units = [...media(0, 3_000)].filter(({ kind, dtsMs }) => kind === 'video' || dtsMs < 2_900);
  const events = [...pushAll(packager, units), ...packager.end()];
  const [videoEnd, audioEnd] = ['video', 'audio'].map((kind) => {
    const { startTick = 0, durationTicks = 0, timescale = 1 } = segmentsOf(events, kind).at(-1) ?? {};
    return (startTick + durationTicks) / timescale;
  });
  expect(Number(audioEnd) - Number(videoEnd)).toBeGreaterThanOrEqual(0);
  expect(Number(audioEnd) - Number(videoEnd)).toBeLessThan(1024 / 48_000);
});

test('after an interruption within reordered frames, new frames begin when all earlier ones have been shown', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: null }, NEW);
  const frame = (dtsMs: number, ptsMs: number): AccessUnit => {
    return { kind: 'video', dtsMs, ptsMs, isKey: dtsMs === 0, bytes: Buffer.alloc(3) };
  };
  // The last frame is shown 80 ms after it is decoded. The two frames between were never sent.
  const first = [...pushAll(packager, [frame(0, 80), frame(40, 200)]), ...packager.end()];
  const second = [...pushAll(packager, [frame(0, 80), frame(40, 120)]), ...packager.end()];
  const shown = segmentsOf(first, 'video').flatMap(({ fragments, startTick }) => {
    let tick = startTick;
    return fragments.flatMap(({ samples }) =>
      samples.map(({ durationTicks, compositionOffsetTicks }) => {
        tick += durationTicks;
        return tick - durationTicks + compositionOffsetTicks;
      }),
    );
  });
  expect(segmentsOf(second, 'video')[0]?.startTick).toBeGreaterThanOrEqual(Math.max(...shown) + 3_600);
});

test.each([
  { title: 'none', order: [1, 2, 3, 4, 5, 6] },
  { title: 'two', order: [3, 1, 2, 6, 4, 5] },
  { title: 'a pyramid of three B-frames', order: [4, 2, 1, 3, 6, 5] },
])('reordered frames are decoded as late as possible, but not after they are shown: $title', ({ order }) => {
  const shown = [0, 1, 2, 3].flatMap((gop) => [0, ...order].map((at) => gop * 7 + at)).map((at) => at * 200);
  const units = shown.map((ptsMs, index): AccessUnit => {
    const dtsMs = (index - 2) * 200;
    return { kind: 'video', dtsMs, ptsMs, isKey: index % 7 === 0, bytes: Buffer.alloc(3) };
  });
  const packager = new StreamPackager({ video: { ...VIDEO, frameRate: 5 }, audio: null }, NEW);
  const segments = segmentsOf([...pushAll(packager, units), ...packager.end()], 'video');
  expect(segments.map(({ startTick }) => startTick)).toEqual([0, 1, 2, 3].map((gop) => gop * 126_000));
  for (const { fragments, startTick, durationTicks } of segments) {
    const samples = fragments.flatMap((fragment) => fragment.samples);
    expect(samples[0]?.compositionOffsetTicks).toBe(0);
    expect(Math.min(...samples.map(({ compositionOffsetTicks }) => compositionOffsetTicks))).toBe(0);
    let tick = startTick;
    const ends = samples.map((sample) => {
      tick += sample.durationTicks;
      return tick + sample.compositionOffsetTicks;
    });
    // Players that add the duration of the frame shown last find the start of the next segment.
    expect(Math.max(...ends) - (startTick + durationTicks)).toBeLessThan(0.2 * 18_000);
  }
});

/** Returns the decode and presentation ticks of the frames in a period that consists of one segment. */
function timesOf(units: readonly AccessUnit[]): { tick: number; shownTick: number }[] {
  const packager = new StreamPackager({ video: VIDEO, audio: null }, NEW);
  const [segment] = segmentsOf([...pushAll(packager, units), ...packager.end()], 'video');
  let tick = segment?.startTick ?? 0;
  return (segment?.fragments.flatMap(({ samples }) => samples) ?? []).map((sample) => {
    const shownTick = tick + sample.compositionOffsetTicks;
    tick += sample.durationTicks;
    return { tick: tick - sample.durationTicks, shownTick };
  });
}

test('reordered frames that are shown long after they are sent keep their times, and none is decoded too late', () => {
  const shown = [0, ...Array.from({ length: 15 }, (_, at) => [3, 1, 2].map((step) => at * 3 + step)).flat()];
  const units = shown.map((at, index): AccessUnit => {
    return { kind: 'video', dtsMs: index * 40, ptsMs: 2_000 + at * 40, isKey: index === 0, bytes: Buffer.alloc(3) };
  });
  const times = timesOf(units);
  expect(times.map(({ shownTick }) => shownTick)).toEqual(shown.map((at) => at * 3_600));
  expect(times.filter(({ tick, shownTick }) => tick > shownTick)).toEqual([]);
});

test('a frame whose time steps back is shown after the one before it', () => {
  const steps = [0, 40, 80, 120, 60, 100, 140, 180];
  const units = steps.map((ms): AccessUnit => {
    return { kind: 'video', dtsMs: ms, ptsMs: ms, isKey: ms === 0, bytes: Buffer.alloc(3) };
  });
  const shown = timesOf(units).map(({ shownTick }) => shownTick);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(new Set(shown).size).toBe(steps.length);
});

test('a part ends with the last frame that fits', () => {
  const packager = new StreamPackager({ video: VIDEO, audio: null }, NEW);
  const counts = [...media(0, 400)].flatMap((unit) => {
    const flat = { ...unit, ptsMs: unit.dtsMs };
    return unit.kind === 'video' ? [partsOf(packager.push(flat)?.events ?? [], 'video').length] : [];
  });
  // Six frames of 40 ms: the last one is written when the seventh begins.
  expect(counts.slice(0, 8)).toEqual([0, 0, 0, 0, 0, 0, 1, 0]);
});

const frames = (count: number, frame: (at: number) => { ms: number; offsetMs?: number; isKey?: boolean }) =>
  Array.from({ length: count }, (_, index): AccessUnit => {
    const { ms, offsetMs = 0, isKey = index === 0 } = frame(index);
    return { kind: 'video', dtsMs: ms, ptsMs: ms + offsetMs, isKey, bytes: Buffer.alloc(10) };
  });

test.each([
  // Expected number of segments, and the longest and total length in seconds.
  {
    what: 'keyframes every 8 s',
    units: frames(600, (at) => ({ ms: at * 40, isKey: at % 200 === 0 })),
    expected: [3, 8, 24],
  },
  { what: 'no keyframe after the first', units: frames(1_000, (at) => ({ ms: at * 40 })), expected: [2, 20, 40] },
  {
    what: 'frames of changing length',
    units: frames(200, (at) => ({ ms: Math.floor(at / 2) * 100 + (at % 2) * 20, isKey: at % 40 === 0 })),
    expected: [5, 2, 10],
  },
  {
    what: 'a decode time that steps back slightly',
    units: frames(100, (at) => ({ ms: at === 50 ? 1_950 : at * 40, isKey: at % 50 === 0 })),
    expected: [2, 2, 4],
  },
  {
    what: 'a clock that jumps by an hour',
    units: frames(100, (at) => ({ ms: at * 40 + (at < 50 ? 0 : 3_600_000), isKey: at % 50 === 0 })),
    expected: [2, 2, 4],
  },
])('continues a stream: $what', ({ units, expected }) => {
  const packager = new StreamPackager({ video: { ...VIDEO, frameRate: 0 }, audio: null }, NEW);
  const segments = segmentsOf([...pushAll(packager, units), ...packager.end()], 'video');
  const lengths = segments.map(({ durationTicks }) => durationTicks / 90_000);
  const [count = 0, longest = 0, all = 0] = expected;
  expect(lengths).toHaveLength(count);
  expect(Math.abs(Math.max(...lengths) - longest)).toBeLessThan(0.15);
  expect(Math.abs(lengths.reduce((sum, sec) => sum + sec, 0) - all)).toBeLessThan(0.15);
});

test('decode times ascend for any publisher timestamps', () => {
  const times = fc.array(
    fc.tuple(fc.integer({ min: -5_000, max: 50_000 }), fc.integer({ min: -200, max: 500 }), fc.boolean()),
    {
      minLength: 5,
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(times, (frames) => {
      const packager = new StreamPackager({ video: VIDEO, audio: null }, NEW);
      const units = frames.map(([dtsMs, offset, isKey]): AccessUnit => {
        return { kind: 'video', dtsMs, ptsMs: dtsMs + offset, isKey, bytes: Buffer.alloc(3) };
      });
      const events = [...pushAll(packager, units), ...packager.end()];
      let endTick = 0;
      for (const { fragments } of segmentsOf(events, 'video')) {
        for (const { baseTick, samples } of fragments) {
          expect(baseTick).toBeGreaterThanOrEqual(endTick);
          endTick = baseTick + samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('throws only BrokenMedia for damaged FLV tags', () => {
  fc.assert(
    fc.property(fc.constantFrom(8, 9), fc.uint8Array({ maxLength: 200 }), (type, bytes) => {
      try {
        readFlvTag({ type: type === 8 ? 8 : 9, timestampMs: 0, body: Buffer.from(bytes) }, 25);
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenMedia);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  { rate: 5, bFrames: 2 },
  { rate: 10, bFrames: 4 },
  { rate: 25, bFrames: 15 },
])(
  'keeps every frame at $rate fps with $bFrames B-frames, although frames are shown long after they are decoded',
  (source) => {
    const { rate, bFrames } = source;
    const group = bFrames + 1;
    const shown = Array.from({ length: Math.floor((10 * rate) / group) }, (_, index) => [
      (index + 1) * group,
      ...Array.from({ length: bFrames }, (_b, b) => index * group + b + 1),
    ]).flat();
    const video = [0, ...shown].map((number, index): AccessUnit => {
      const [dtsMs, ptsMs] = [(index * 1000) / rate, ((number + 1) * 1000) / rate];
      return { kind: 'video', dtsMs, ptsMs, isKey: number === 0, bytes: Buffer.alloc(100) };
    });
    const audio = [...media(0, 10_000)].filter(({ kind }) => kind === 'audio');
    const packager = new StreamPackager({ video: VIDEO, audio: AUDIO }, NEW);
    const events = pushAll(
      packager,
      [...video, ...audio].toSorted((a, b) => a.dtsMs - b.dtsMs),
    );
    const segments = segmentsOf([...events, ...packager.end()], 'video');
    const samples = segments.flatMap(({ fragments }) => fragments.flatMap(({ samples: own }) => own));
    expect(samples).toHaveLength(video.length);
  },
);
