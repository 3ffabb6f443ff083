import { expect, test } from 'vitest';
import { newGuid } from '../../../lib/guid.ts';
import { LiveIndex } from './live-index.ts';
import { findResumed } from './newest-media.ts';

const VIEW = { windowSec: 600, isPreview: false };
const source = {
  id: newGuid(),
  kind: 'video',
  slot: 'source',
  rung: null,
  timescale: 1_000,
  codecString: '',
  widthPx: 64,
  heightPx: 36,
  keyGroup: 'sd',
  ivPrefix: 0,
} as const;
const TIMES = { pauseMs: 1_400, sinceMs: 8_000 };

/** Returns an index with parts of 0.25 s that arrived at `times`, four in a segment. */
function receive(times: readonly number[]): LiveIndex {
  const index = new LiveIndex();
  const facts = { firstSequence: 10, isPreview: false, frameRate: 25, isLadderPending: false, startMs: null };
  index.addPeriod({ number: 0, renditions: [source], ...facts });
  for (const [at, atMs] of times.entries()) {
    const part = at % 4;
    const media = { startTick: at * 250, durationTicks: 250, samples: 1, isIndependent: true, isLast: part === 3 };
    const message = { type: 'part', renditionId: source.id, segment: Math.floor(at / 4), part, ...media } as const;
    index.apply({ message, bytes: Buffer.alloc(1) }, atMs);
  }
  return index;
}

const EVEN = [0, 250, 500, 750, 1_000, 1_250];

test.each<{ name: string; times: readonly number[]; found: number | null }>([
  { name: 'without a pause', times: EVEN.map((ms) => ms + 8_000), found: null },
  {
    name: 'after a pause within a segment that is now complete',
    times: [6_000, 6_250, 8_500, 8_501, 8_502],
    found: 10,
  },
  { name: 'within a segment that is still open', times: [6_000, 6_250, 8_500], found: null },
  { name: 'after a pause between two segments', times: [6_000, 6_250, 6_500, 6_750, 8_500, 8_501], found: null },
  { name: 'after an earlier pause', times: [5_000, 5_250, 7_500, 7_501, 7_502], found: null },
  { name: 'after a short pause', times: [8_000, 9_399, 9_400, 9_401, 9_402], found: null },
])('finds the segment in which media continues $name: $found', ({ times, found }) => {
  expect(findResumed(receive(times), 'source', VIEW, TIMES)?.sequence ?? null).toBe(found);
});

test('the parts of a burst of many segments stay available for some seconds', () => {
  const burst = [6_000, 6_250, ...Array.from({ length: 30 }, (_, at) => 8_500 + at)];
  const index = receive(burst);
  for (let number = 0; number < burst.length / 4; number += 1) {
    const times = { startTick: number * 1_000, durationTicks: 1_000, wallMs: 8_000 };
    index.addRow({ renditionId: source.id, number, ...times, storageKey: 'key', sizeBytes: 1 });
  }
  const find = (nowMs: number) => {
    index.trim(600_000, nowMs);
    return findResumed(index, 'source', VIEW, TIMES);
  };
  expect(find(9_000)).toEqual({ sequence: 10, pauseMs: 2_250 });
  expect(find(20_000)).toBe(null);
});
