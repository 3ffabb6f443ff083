import { expect, test } from 'vitest';
import { newGuid } from '../../lib/guid.ts';
import { editStream, type LiveState, type LiveStream, publishStream, startStream, stopStream } from './live-stream.ts';

const NOW = new Date('2026-01-02T12:00:00Z');
const BEFORE = new Date('2026-01-02T11:00:00Z');
const LATER = new Date('2026-01-02T13:00:00Z');

function stream(state: LiveState, settings: Partial<LiveStream> = {}): LiveStream {
  const details = {
    libraryId: 1,
    id: newGuid(),
    title: 'T',
    description: null,
    category: null,
    collectionId: null,
    isPublic: true,
    scheduledStartAt: null,
    scheduledEndAt: null,
    dvrEnabled: false,
    dvrWindowSec: null,
    recordVod: false,
    countdownEnabled: null,
    relays: null,
    trailerVideoId: null,
  };
  const times = { startedAt: BEFORE, endedAt: BEFORE, reason: '' };
  // TypeScript cannot spread a union from a variable state. The rows of this test are complete.
  return { ...details, ...times, ...settings, state } as LiveStream;
}

const IGNORED = 'refused';
function outcome(act: () => LiveStream): string {
  try {
    return act().state;
  } catch {
    return IGNORED;
  }
}

test.each<{ from: LiveState; publish: string; start: string; stop: string }>([
  { from: 'created', publish: 'preview', start: 'running', stop: 'ended' },
  { from: 'scheduled', publish: 'preview', start: 'running', stop: 'ended' },
  { from: 'preview', publish: 'preview', start: 'running', stop: 'ended' },
  { from: 'running', publish: 'running', start: 'running', stop: 'vod-processing' },
  { from: 'vod-processing', publish: IGNORED, start: IGNORED, stop: 'vod-processing' },
  { from: 'ended', publish: IGNORED, start: IGNORED, stop: 'ended' },
  { from: 'error', publish: IGNORED, start: IGNORED, stop: 'error' },
])('from $from: publish -> $publish, start -> $start, stop -> $stop', ({ from, publish, start, stop }) => {
  const one = stream(from, { recordVod: true });
  expect(outcome(() => publishStream(one, NOW))).toBe(publish);
  expect(outcome(() => startStream(one, NOW))).toBe(start);
  expect(outcome(() => stopStream(one, NOW))).toBe(stop);
});

test('a publisher starts a stream whose scheduled start has passed', () => {
  expect(publishStream(stream('scheduled', { scheduledStartAt: BEFORE }), NOW).state).toBe('running');
  expect(publishStream(stream('scheduled', { scheduledStartAt: LATER }), NOW).state).toBe('preview');
});

test('after the start, only the title and the description can be changed, and recording can be enabled', () => {
  const running = stream('running');
  expect(editStream(running, { title: 'U', isPublic: true }, NOW)).toMatchObject({ title: 'U', state: 'running' });
  expect(() => editStream(running, { isPublic: false, dvrEnabled: true }, NOW)).toThrow(/isPublic, dvrEnabled/);
  const ended = stream('ended');
  expect(editStream(ended, { recordVod: true }, NOW).state).toBe('vod-processing');
  expect(() => editStream(ended, { recordVod: true }, new Date(BEFORE.getTime() + 25 * 3_600_000))).toThrow();
  expect(editStream(stream('created'), { scheduledStartAt: LATER }, NOW).state).toBe('scheduled');
});
