import { expect, test } from 'vitest';
import type { Line } from './estimate-line.ts';
import { chooseStartLevel, highestAllowed, type Rung } from './start-level.ts';

const MBPS = 1_000_000;
const heights = [240, 360, 480, 720, 1080];
const rungs: Rung[] = [0.6, 0.9, 1.4, 2.8, 5].map((mbps, index) => {
  const heightPx = heights[index] ?? 0;
  return { heightPx, widthPx: (heightPx * 16) / 9, averageBps: mbps * MBPS * 0.9, peakBps: mbps * MBPS };
});
const FULL = { widthPx: 1920, heightPx: 1080 };

function start(
  mbps: number | null,
  { care = 'none' as Line['care'], size = FULL, maxBytes = undefined as number | undefined } = {},
) {
  const bps = mbps === null ? null : mbps * MBPS;
  return rungs[chooseStartLevel(rungs, { line: { bps, care }, size, maxBytes })]?.heightPx;
}

test.each([
  { mbps: null, heightPx: 240, why: 'nothing is known' },
  { mbps: 0.5, heightPx: 240, why: 'the bandwidth suffices for no rung' },
  { mbps: 2, heightPx: 360, why: '480p is carried' },
  { mbps: 8, heightPx: 720, why: '1080p is carried, but takes 2.3 s' },
  { mbps: 20, heightPx: 720, why: '1080p takes 0.9 s' },
  { mbps: 40, heightPx: 1080, why: 'its first segment takes 0.45 s' },
])('starts with $heightPx at $mbps Mbit/s: $why', ({ mbps, heightPx }) => {
  expect(start(mbps)).toBe(heightPx);
});

test('starts at most one rung below the highest that the connection sustains, and never above it', () => {
  for (let mbps = 1; mbps < 60; mbps += 0.5) {
    const carried = rungs.findLastIndex(({ peakBps }) => peakBps <= mbps * MBPS * 0.8);
    const level = heights.indexOf(start(mbps) ?? 0);
    expect([Math.max(0, carried - 1), Math.max(0, carried)], `${mbps} Mbit/s`).toContain(level);
  }
});

test('a faster connection never starts with a lower rung', () => {
  const levels = [1, 2, 4, 8, 16, 32, 64].map((mbps) => start(mbps) ?? 0);
  expect(levels).toEqual(levels.toSorted((a, b) => a - b));
});

test.each([
  { size: { widthPx: 480, heightPx: 270 }, heightPx: 360 },
  { size: { widthPx: 426, heightPx: 240 }, heightPx: 240 },
  { size: { widthPx: 1280, heightPx: 1200 }, heightPx: 720 },
  { size: { widthPx: 3840, heightPx: 2160 }, heightPx: 1080 },
])('a player of $size.widthPx x $size.heightPx device pixels needs $heightPx', ({ size, heightPx }) => {
  expect(start(100, { size })).toBe(heightPx);
});

test.each([
  { care: 'metered' as const, mbps: 8, heightPx: 480 },
  { care: 'metered' as const, mbps: null, heightPx: 240 },
  { care: 'saving' as const, mbps: 100, heightPx: 240 },
])('starts with $heightPx at $mbps Mbit/s and care $care', ({ care, mbps, heightPx }) => {
  expect(start(mbps, { care })).toBe(heightPx);
});

test('limits the size of a first segment that may not be played', () => {
  expect(start(100, { maxBytes: 800_000 })).toBe(480);
});

test('automatic selection stays low for viewers who save data', () => {
  expect(highestAllowed(rungs, { bps: null, care: 'none' })).toBe(-1);
  expect(heights[highestAllowed(rungs, { bps: null, care: 'saving' })]).toBe(480);
  expect(highestAllowed(rungs.slice(3), { bps: null, care: 'saving' })).toBe(0);
});
