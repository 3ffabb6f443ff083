import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Away } from '../live/gap-publisher.ts';
import { type LiveFixture, openLiveFixture } from '../live/live-fixture.ts';
import { WATCHERS } from '../live/live-watchers.ts';
import { watchReturns } from '../live/watch-returns.ts';

const MINUTES = 10;
/** Seconds of playback before, between and after the two reconnects of the encoder. */
const TURNS_SEC = [130, 170, 300];

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

// The names are the table's own keys.
const NAMES = Object.keys(WATCHERS) as (keyof typeof WATCHERS)[];

test.each(NAMES)(
  '%s continues across an audio gap and an encoder that reconnects twice',
  async (name) => {
    const [found] = await watchReturns(fixture, {
      players: [name],
      playSecs: [8, 10, 10],
      away: { audio: [[14, 17]] },
    });
    expect(found).toMatchObject({ holes: [], errors: [] });
    expect(found?.stalls.length, `${found?.stalls}`).toBeLessThanOrEqual(2);
  },
  300_000,
);

/** Gaps of each kind in each minute: audio, video, both. */
function gapsOf(minutes: number): Away {
  const starts = Array.from({ length: minutes }, (_, minute) => minute * 60);
  return {
    audio: starts.flatMap((at) => [[at + 18, at + 23] as const, [at + 51, at + 53] as const]),
    video: starts.flatMap((at) => [[at + 34, at + 38] as const, [at + 51, at + 53] as const]),
  };
}

test('the player page and plain hls.js play for ten minutes across gaps and reconnects without a hole', async () => {
  const players = ['player page', 'hls.js'] as const;
  const found = await watchReturns(fixture, { players, playSecs: TURNS_SEC, away: gapsOf(MINUTES) });
  for (const { name, holes, errors, playedSec } of found) {
    // Nothing is published at the start of the gap of both tracks, once per minute.
    const waits = errors.filter((error) => error.startsWith('bufferStalledError WAIT '));
    expect(waits.length).toBeLessThanOrEqual(MINUTES);
    expect({ name, holes, errors: errors.filter((error) => !waits.includes(error)) }).toEqual({
      ...{ name, holes: [], errors: [] },
    });
    expect(playedSec).toBeGreaterThan(MINUTES * 60 - 10);
  }
}, 1_200_000);

test('players can join a stream with open GOPs', async () => {
  const players = ['hls.js', 'Shaka, DASH', 'ffmpeg'] as const;
  const found = await watchReturns(fixture, { players, playSecs: [8], away: {}, joinSegments: 4, hasOpenGops: true });
  for (const { name, holes, errors } of found) expect({ name, holes, errors }).toEqual({ name, holes: [], errors: [] });
}, 180_000);
