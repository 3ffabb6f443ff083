import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { watchReturns } from './watch-returns.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

// `npm run soak -- live-gaps` tests the other players.
test('the player page, ffmpeg and mpv continue across an audio gap and an encoder that reconnects', async () => {
  const players = ['player page', 'ffmpeg', 'mpv'] as const;
  const found = await watchReturns(fixture, { players, playSecs: [8, 8], away: { audio: [[14, 17]] } });
  for (const { name, holes, stalls, errors } of found) {
    expect({ name, holes, errors }).toEqual({ name, holes: [], errors: [] });
    // At most one stall: the outage itself.
    expect(stalls.length, `${name}: ${stalls}`).toBeLessThanOrEqual(1);
  }
}, 300_000);

test.each([
  { title: 'sound', away: { audio: [[4, 90]] } },
  { title: 'picture', away: { video: [[4, 90]] } },
] as const)(
  'the player page and hls.js can join while the $title is missing',
  { timeout: 180_000 },
  async ({ away }) => {
    const found = await watchReturns(fixture, {
      players: ['player page', 'hls.js'],
      playSecs: [8],
      away,
      joinSegments: 5,
    });
    for (const { name, holes, stalls, errors } of found) {
      expect({ name, holes, stalls, errors }).toEqual({ name, holes: [], stalls: [], errors: [] });
    }
  },
);

test.each(['audio', 'video'] as const)(
  'players continue when an encoder reconnects without %s',
  async (kind) => {
    const players = ['player page', 'hls.js'] as const;
    const found = await watchReturns(fixture, { players, playSecs: [5, 8], away: {}, awayLater: { [kind]: 'never' } });
    for (const { name, holes, errors } of found)
      expect({ name, holes, errors }).toEqual({ name, holes: [], errors: [] });
  },
  180_000,
);

test('DASH players that join at the first segment start immediately', { timeout: 180_000 }, async () => {
  const players = ['dash.js', 'Shaka, DASH'] as const;
  const found = await watchReturns(fixture, { players, playSecs: [8], away: {}, startAfterMs: 3_000 });
  for (const { name, holes, stalls, errors } of found) {
    expect({ name, holes, stalls, errors }).toEqual({ name, holes: [], stalls: [], errors: [] });
  }
});
