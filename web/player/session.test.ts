import { expect, test, vi } from 'vitest';
import type { PlayerState } from '../../src/delivery/player/player-state.ts';
import { readStartOptions } from './base/start-options.ts';
import { Session } from './session.ts';

const REFUSED = { kind: 'refused', code: 'token-denied' } as const;
const SOURCE = {
  playlistUrl: '/p.m3u8',
  manifestUrl: null,
  durationSec: 0,
  hasPicture: true,
  renditions: [],
  drm: null,
};
const LIVE = { dvrSec: 0, targetLatencySec: 1.5, viewers: null };

/**
 * Creates a session with a state, with replacements for the engine and the video element that do nothing on their own.
 */
function openPage({ phase }: Pick<PlayerState, 'phase'>, renditions: readonly string[] = []) {
  const calls = { open: vi.fn(), close: vi.fn(), update: vi.fn() };
  const engine = Object.assign(new EventTarget(), { ...calls, lineBps: null, denial: null });
  const states = { HAVE_CURRENT_DATA: 2, HAVE_FUTURE_DATA: 3 };
  const video = Object.assign(new EventTarget(), { readyState: 4, ...states, paused: false, videoWidth: 0 });
  const look = { showHeatmap: false, rememberPosition: false, compactControls: false };
  const options = readStartOptions('?autoplay=false', look);
  const parts = { video, engine, options, lines: {}, stateUrl: '/state', resumeSec: 0 };
  const details = { chapters: [], captions: [], storyboardUrl: null, waveformUrl: null, heat: null, blurhash: null };
  const viewing = { ticket: '', bucketSec: 1, bucketCount: 0 };
  const state = { revision: 1, title: '', phase, source: { ...SOURCE, renditions }, posterUrl: null, details, viewing };
  // The replacements have all members that a session uses.
  const session = new Session(parts as unknown as ConstructorParameters<typeof Session>[0], state);
  return { session, engine, video };
}

test('a stream continues when a request for its state is refused', () => {
  const { session } = openPage({ phase: { kind: 'live', live: LIVE } });
  session.take(REFUSED);
  expect([session.view.kind, session.isPlayable]).toEqual(['live', true]);
});

test.each([
  { title: 'a picture that begins after the audio', widthPx: 0, known: [], reloads: 1 },
  { title: 'a picture that was listed at the start, but not chosen', widthPx: 0, known: ['a'], reloads: 0 },
  { title: 'a stream with a picture', widthPx: 640, known: [], reloads: 0 },
])('reloads a live stream once for $title: $reloads', ({ widthPx, known, reloads }) => {
  vi.useFakeTimers();
  const { session, engine, video } = openPage({ phase: { kind: 'live', live: LIVE } }, known);
  video.videoWidth = widthPx;
  for (let poll = 0; poll < 4; poll += 1) {
    vi.advanceTimersByTime(4_000);
    session.take({ kind: 'state', state: { ...session.state, source: { ...SOURCE, renditions: ['a'] } } });
  }
  expect(engine.update).toHaveBeenCalledTimes(reloads);
  vi.useRealTimers();
});

test('shows a refusal while a trailer plays and after the stream has ended', () => {
  const { session } = openPage({ phase: { kind: 'awaiting-publisher' } });
  session.take(REFUSED);
  expect(session.view).toEqual(REFUSED);

  const { session: ended } = openPage({ phase: { kind: 'live', live: LIVE } });
  ended.take({ kind: 'state', state: { ...ended.state, phase: { kind: 'converting', percent: 1 }, source: null } });
  ended.take(REFUSED);
  expect(ended.view).toEqual(REFUSED);
});

test.each([
  { readyState: 2, kind: 'refused' },
  { readyState: 4, kind: 'live' },
])('shows $kind after a refusal with a playback fault at ready state $readyState', async ({ readyState, kind }) => {
  vi.stubGlobal('fetch', async () => Response.json({ error: 'token-denied' }, { status: 403 }));
  const { session, engine, video } = openPage({ phase: { kind: 'live', live: LIVE } });
  video.readyState = readyState;
  engine.dispatchEvent(new Event('trouble'));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(session.view.kind).toBe(kind);
  vi.unstubAllGlobals();
});

test('shows that a quota refuses the playlist of a stalled stream, until media loads again', async () => {
  const { session, engine, video } = openPage({ phase: { kind: 'live', live: LIVE } });
  const { state } = session;
  vi.stubGlobal('fetch', async (url: string) =>
    url === '/state' ? Response.json(state) : Response.json({ error: 'quota-bandwidth' }, { status: 403 }),
  );
  engine.dispatchEvent(new Event('trouble'));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(session.view.kind).toBe('live');
  video.readyState = 2;
  engine.dispatchEvent(new Event('trouble'));
  await vi.waitFor(() => expect(session.view).toEqual({ kind: 'refused', code: 'quota-bandwidth' }));
  // The next poll of the state.
  session.take({ kind: 'state', state });
  expect(session.view.kind).toBe('refused');
  engine.dispatchEvent(new Event('loaded'));
  expect(session.view.kind).toBe('live');
  vi.unstubAllGlobals();
});
