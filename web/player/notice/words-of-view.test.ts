import { expect, test } from 'vitest';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { View } from '../session.ts';
import { countdown, noticeOf, sayFailure } from './words-of-view.ts';

const texts: Record<string, string> = {
  'failed.truncated': 'The file is cut off.',
  'failed.other': 'Other.',
  percent: '{percent} %',
};
const say = (key: string, values: Readonly<Record<string, string | number>> = {}) =>
  (texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
const preview = { kind: 'preview', live: { dvrSec: 0, targetLatencySec: 1, viewers: null } } as const;
const source: PlayerSource = {
  manifestUrl: null,
  playlistUrl: '/p',
  durationSec: 1,
  hasPicture: true,
  renditions: [],
  drm: null,
};

test.each([
  ['truncated', 'The file is cut off.'],
  ['some-new-code', 'Other.'],
  ['The disk was full.', 'The disk was full.'],
])('shows the failure reason %s as "%s"', (reason, expected) => {
  expect(sayFailure(reason, say)).toBe(expected);
});

test.each<[View, boolean]>([
  [{ kind: 'processing', percent: 3 }, false],
  [{ kind: 'finished' }, false],
  [{ kind: 'live', live: { dvrSec: 0, targetLatencySec: 1, viewers: null } }, false],
  [{ kind: 'reconnecting', sinceMs: 0, live: { dvrSec: 0, targetLatencySec: 1, viewers: null } }, false],
  [{ kind: 'stream-ended' }, false],
  [{ kind: 'failed', reason: 'truncated' }, true],
  [{ kind: 'gone' }, true],
  [{ kind: 'refused', code: 'token-denied' }, true],
])('tells whether %o covers playable media: %s', (view, covers) => {
  expect(noticeOf(view, source, say, 0) !== null).toBe(covers);
  expect(noticeOf(view, null, say, 0)).not.toBe(null);
});

test('notices over a trailer keep the video visible', () => {
  for (const view of [{ kind: 'countdown', startsAtMs: 9_000 }, { kind: 'awaiting-publisher' }, preview] as const) {
    expect(noticeOf(view, source, say, 0)).toMatchObject({ isBeside: true });
    expect(noticeOf(view, null, say, 0)).toMatchObject({ isBeside: false });
  }
});

test('shows the progress of processing once it is known', () => {
  expect(noticeOf({ kind: 'processing', percent: 12.7 }, null, say, 0)).toMatchObject({ percent: 12.7, text: '12 %' });
  expect(noticeOf({ kind: 'processing', percent: 0 }, null, say, 0)).toMatchObject({ percent: 'unknown' });
});

test('a countdown shows days only if there are any, and stops at zero', () => {
  expect(countdown(3_723_000, say)).toBe('01:02:03');
  expect(countdown(90_000_000, say)).toBe('state.countdown.days');
  expect(countdown(-5, say)).toBe('state.countdown.soon');
});
