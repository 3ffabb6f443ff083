import { expect, test } from 'vitest';
import type { LiveHead } from '../../catalog/live/live-head.ts';
import { phaseOfStream, sourceOfStream } from './describe-stream.ts';

const head: LiveHead = {
  state: 'running',
  isPublic: true,
  dvrWindowSec: 60,
  feedUrl: 'http://owner',
  isInterrupted: false,
  startsAtMs: null,
  trailerId: null,
};

test.each<[string, Partial<LiveHead>, object, boolean]>([
  [
    'counts down to its start',
    { state: 'scheduled', startsAtMs: 2_000 },
    { kind: 'countdown', startsAtMs: 2_000 },
    false,
  ],
  [
    'waits for its publisher once that is past',
    { state: 'scheduled', startsAtMs: 500 },
    { kind: 'awaiting-publisher' },
    false,
  ],
  ['waits for its publisher', { state: 'created' }, { kind: 'awaiting-publisher' }, false],
  ['is live', {}, { kind: 'live', live: { dvrSec: 60, viewers: null } }, true],
  ['is live without a window', { dvrWindowSec: null }, { kind: 'live', live: { dvrSec: 0 } }, true],
  ['is interrupted while no process owns it', { feedUrl: null }, { kind: 'reconnecting' }, true],
  ['is interrupted while its publisher is away', { isInterrupted: true }, { kind: 'reconnecting' }, true],
  ['becomes a video', { state: 'vod-processing' }, { kind: 'converting', percent: 40 }, false],
  ['has ended', { state: 'ended' }, { kind: 'stream-ended' }, false],
  ['has failed', { state: 'error' }, { kind: 'failed' }, false],
])('a stream %s', (_, change, phase, plays) => {
  const stream = { ...head, ...change };
  expect(phaseOfStream(stream, 40, 1_000)).toMatchObject(phase);
  expect(sourceOfStream(stream, '/vz-1/id/playlist.m3u8') !== null).toBe(plays);
});
