import { expect, test } from 'vitest';
import type { SegmentFragment } from '../../cmaf/segment.ts';
import { toCutSegment } from './part-writer.ts';

const TIMESCALE = 90_000;
const FRAME_TICKS = 7_500;

/** Returns a fragment of samples with these durations and composition offsets. */
function fragmentOf(baseTick: number, samples: readonly (readonly [number, number])[]): SegmentFragment {
  return {
    head: Buffer.alloc(0),
    payload: Buffer.alloc(samples.length),
    baseTick,
    samples: samples.map(([durationTicks, compositionOffsetTicks], index) => {
      return { durationTicks, sizeBytes: 1, compositionOffsetTicks, isSync: index === 0 };
    }),
    delayTicks: 0,
  };
}

test.each([
  { title: 'frames in order', samples: Array.from({ length: 4 }, () => [FRAME_TICKS, 0] as const) },
  {
    // The second frame is shown after the two frames that follow it. Decode times are closer together than presentation
    // times.
    title: 'reordered frames',
    samples: [[3_750, 0] as const, [3_750, 18_750] as const, [FRAME_TICKS, 0] as const, [FRAME_TICKS, 0] as const],
  },
])('an interrupted segment lasts until all $title have been shown', ({ samples }) => {
  const found = toCutSegment('video', TIMESCALE, 3, [fragmentOf(360_000, samples)]);
  expect(found?.segment.startTick).toBe(360_000);
  expect(found?.segment.durationTicks).toBe(4 * FRAME_TICKS);
});
