import { expect, test } from 'vitest';
import type { LiveHead } from '../../catalog/live/viewing/live-head.ts';
import type { MediaState } from '../../catalog/schema.ts';
import { hasPreview, mayPlay, phaseOfStream, streamOf } from './describe-stream.ts';

const head: LiveHead = {
  state: 'running',
  isPublic: true,
  dvrWindowSec: 60,
  feedUrl: 'http://owner',
  isInterrupted: false,
  hasBegun: true,
  startsAtMs: null,
  trailerId: null,
  extent: null,
};

test.each<[string, Partial<LiveHead>, object, (boolean | null)?]>([
  ['counts down to its start', { state: 'scheduled', startsAtMs: 2_000 }, { kind: 'countdown', startsAtMs: 2_000 }],
  [
    'waits for its publisher after the scheduled start',
    { state: 'scheduled', startsAtMs: 500 },
    { kind: 'awaiting-publisher' },
  ],
  ['hides video published before its start', { state: 'preview' }, { kind: 'awaiting-publisher' }],
  ['waits for its publisher', { state: 'created' }, { kind: 'awaiting-publisher' }],
  ['is live', {}, { kind: 'live', live: { dvrSec: 60, viewers: 7 } }],
  ['is live without a window', { dvrWindowSec: null }, { kind: 'live', live: { dvrSec: 0 } }],
  ['waits for its first publisher after its start', { feedUrl: null, hasBegun: false }, { kind: 'awaiting-publisher' }],
  ['is live once its first publisher connects', { hasBegun: false }, { kind: 'live' }],
  ['is interrupted while no process owns it', { feedUrl: null }, { kind: 'reconnecting' }],
  ['is interrupted while its publisher is away', { isInterrupted: true }, { kind: 'reconnecting' }],
  ['is live once its media arrives again', { isInterrupted: true }, { kind: 'live' }, false],
  ['is interrupted as soon as no media arrives', {}, { kind: 'reconnecting' }, true],
  ['is converted to a video', { state: 'vod-processing' }, { kind: 'converting', percent: 40 }],
  ['has ended', { state: 'ended' }, { kind: 'stream-ended' }],
  ['has failed', { state: 'error' }, { kind: 'failed' }],
])('a stream %s', (_, change, phase, isSilent = null) => {
  const stream = { ...head, ...change };
  expect(phaseOfStream(stream, { percent: 40, mayPreview: false, isSilent, viewers: 7, nowMs: 1_000 })).toMatchObject(
    phase,
  );
});

test.each<[string, Partial<LiveHead>, string]>([
  ['is visible before its start', {}, 'preview'],
  ['waits again when its publisher disconnects', { isInterrupted: true }, 'awaiting-publisher'],
  ['counts down while nothing is published', { state: 'scheduled', startsAtMs: 2_000 }, 'countdown'],
  ['is live for everybody after its start', { state: 'running' }, 'live'],
])('with a token, a stream %s', (_, change, kind) => {
  const stream: LiveHead = { ...head, state: 'preview', ...change };
  expect(
    phaseOfStream(stream, { percent: 0, mayPreview: true, isSilent: null, viewers: null, nowMs: 1_000 }).kind,
  ).toBe(kind);
  expect(hasPreview(stream)).toBe(kind === 'preview');
});

test.each<[string, MediaState, LiveHead['state'], boolean]>([
  ['a stream that waits', 'created', 'created', true],
  ['a running stream', 'created', 'running', true],
  ['an ended stream without a recording', 'created', 'ended', true],
  ['a recording that is not sealed yet', 'created', 'vod-processing', true],
  ['a finished recording', 'finished', 'ended', false],
  ['a recording of which more resolutions are encoded', 'transcoding', 'ended', false],
])('%s is shown as a stream or a video', (_, state, liveState, isStream) => {
  expect(streamOf({ state, live: { ...head, state: liveState } }) !== null).toBe(isStream);
});

test.each<[string, Partial<LiveHead>, boolean | null, boolean]>([
  ['that is on air', {}, false, true],
  ['whose publisher is away', { feedUrl: null }, true, true],
  ['whose first publisher is connected', { hasBegun: false }, null, true],
  ['that never had a publisher', { hasBegun: false, feedUrl: null }, null, false],
  ['whose first publisher sent nothing', { hasBegun: false }, true, false],
  ['that has not started', { state: 'created' }, null, false],
])('a stream %s has a source for players or not', (_, change, isSilent, expected) => {
  expect(mayPlay({ ...head, ...change }, isSilent)).toBe(expected);
});
