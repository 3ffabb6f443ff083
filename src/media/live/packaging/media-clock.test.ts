import { expect, test } from 'vitest';
import type { AccessUnit } from '../tracks/access-unit.ts';
import { MediaClock } from './media-clock.ts';

type Frame = readonly [AccessUnit['kind'], number];

const HOUR_MS = 3_600_000;

/** Returns frames of a track every 20 ms. */
function frames(kind: Frame[0], fromMs: number, toMs: number): Frame[] {
  return Array.from({ length: (toMs - fromMs) / 20 }, (_, index) => [kind, fromMs + index * 20] as const);
}

/** Returns frames of both tracks every 20 ms. */
function both(fromMs: number, toMs: number): Frame[] {
  return frames('video', fromMs, toMs).flatMap(([, ms]) => [['video', ms] as const, ['audio', ms] as const]);
}

/**
 * Places frames on the timeline. Video must never step back, and may be left out instead. Returns the offset between
 * the last audio frame and the last video frame, and the time of the last video frame, in ms.
 */
function placeAll(list: readonly Frame[]): { distanceMs: number; endMs: number } {
  const clock = new MediaClock(0);
  const last = { video: 0, audio: 0 };
  for (const [kind, ms] of list) {
    const placedMs = clock.place({ kind, dtsMs: ms, ptsMs: ms });
    if (placedMs === null) continue;
    if (kind === 'video') expect(placedMs).toBeGreaterThanOrEqual(last.video);
    last[kind] = placedMs;
  }
  return { distanceMs: last.audio - last.video, endMs: last.video };
}

test.each([
  { title: 'nothing is missing', list: both(0, 5_000), endMs: 4_980 },
  {
    title: 'audio is missing for 12 s',
    list: [...both(0, 1_000), ...frames('video', 1_000, 13_000), ...both(13_000, 14_000)],
    endMs: 13_980,
  },
  {
    title: 'video is missing for 12 s',
    list: [...both(0, 1_000), ...frames('audio', 1_000, 13_000), ...both(13_000, 14_000)],
    endMs: 13_980,
  },
  { title: 'audio begins after 60 s', list: [...frames('video', 0, 60_000), ...both(60_000, 61_000)], endMs: 60_980 },
  { title: 'both are missing for 12 s', list: [...both(0, 1_000), ...both(13_000, 14_000)], endMs: 1_961 },
  { title: 'both are missing for 5 s', list: [...both(0, 1_000), ...both(6_000, 7_000)], endMs: 6_980 },
  { title: 'the clock jumps an hour', list: [...both(0, 1_000), ...both(HOUR_MS, HOUR_MS + 1_000)], endMs: 1_961 },
  { title: 'the clock jumps back an hour', list: [...both(HOUR_MS, HOUR_MS + 1_000), ...both(0, 1_000)], endMs: 1_961 },
  { title: 'the clock steps back by 1 s', list: [...both(1_000, 5_000), ...both(4_000, 6_000)], endMs: 5_961 },
  {
    title: 'the clock steps back by 300 ms, audio first',
    list: [...both(1_000, 5_000), ...frames('audio', 4_700, 4_740), ...both(4_740, 6_000)],
    endMs: 5_221,
  },
  {
    title: 'video alone steps back by 1.5 s',
    list: [
      ...both(0, 3_000),
      ...frames('video', 1_500, 3_000).flatMap(([, ms]) => [['video', ms] as const, ['audio', ms + 1_500] as const]),
      ...frames('video', 3_000, 9_000).flatMap(([, ms]) => [['video', ms] as const, ['audio', ms + 1_500] as const]),
      ...frames('video', 9_000, 10_500),
    ],
    endMs: 10_480,
  },
  {
    title: 'the clock jumps while audio is missing',
    list: [
      ...both(0, 1_000),
      ...frames('video', HOUR_MS, HOUR_MS + 12_000),
      ...both(HOUR_MS + 12_000, HOUR_MS + 13_000),
    ],
    endMs: 13_961,
  },
])('keeps audio and video in sync if $title', ({ list, endMs }) => {
  expect(placeAll(list)).toEqual({ distanceMs: 0, endMs });
});

test('a track with a separate clock continues at the current time of the other track', () => {
  const list: Frame[] = [...frames('video', HOUR_MS, HOUR_MS + 30_000), ['audio', 0], ['video', HOUR_MS + 30_000]];
  expect(Math.abs(placeAll(list).distanceMs)).toBeLessThanOrEqual(20);
});
