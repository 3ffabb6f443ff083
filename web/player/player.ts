import type { PlayerState } from '../../src/delivery/player/player-state.ts';
import { Engine, type EngineSource } from './engine.ts';
import { sendBeacons } from './send-beacons.ts';
import { readStartOptions } from './start-options.ts';
import { fetchState, followState } from './state-feed.ts';

const RELOAD_GAP_MS = 5_000;

type Config = { state: PlayerState; stateUrl: string };

// The page's one entry: engine first, so that the video loads while the controls are fetched.
const { state: first, stateUrl }: Config = JSON.parse(document.querySelector('#config')?.textContent ?? '');
const frame = document.querySelector<HTMLElement>('.player');
const video = frame?.querySelector('video');
if (!frame || !video) throw new Error('Expected the page to hold a player and its video.');

const options = readStartOptions(location.search);
video.muted = options.muted;
video.loop = options.loop;
const engine = new Engine(video);
let opened: PlayerState | null = null;
let openedAtMs = 0;

show(first);
if (new URLSearchParams(location.search).get('count') !== 'false') sendBeacons(video, first.viewing);
// What fails all at once may have been packaged anew meanwhile: then it needs other keys.
engine.addEventListener('trouble', async () => {
  const state = await fetchState(stateUrl);
  if (state !== null && state !== 'gone') show(state);
});
const { mountControls } = await import('./controls.ts');
const controls = mountControls({ frame, video, engine });
controls.show(first);
await followState(stateUrl, first, (state) => {
  show(state);
  controls.show(state);
});

function show(state: PlayerState): void {
  if (!video || !state.isPlayable) return;
  if (opened === null) open(state, video);
  else if (isChanged(opened, state) && performance.now() - openedAtMs > RELOAD_GAP_MS) {
    opened = state;
    openedAtMs = performance.now();
    engine.reload(sourceOf(state));
  }
}

function open(state: PlayerState, element: HTMLVideoElement): void {
  opened = state;
  openedAtMs = performance.now();
  const loadsAtOnce = options.preload || options.autoplay;
  engine.open(sourceOf(state), options.startSec, loadsAtOnce);
  if (!loadsAtOnce) element.addEventListener('play', () => engine.fetchNow(), { once: true });
  // A browser may refuse to start with sound: then the large play button stays.
  if (options.autoplay) element.play().catch(() => undefined);
}

function sourceOf({ playlistUrl, drm }: PlayerState): EngineSource {
  const { licenceUrls = {}, certificateUrl = null } = drm ?? {};
  return { address: playlistUrl, licenceUrls, certificateUrl };
}

/** Whether other renditions are listed, or other keys are needed, than when the playlist was read. */
function isChanged(before: PlayerState, now: PlayerState): boolean {
  const known = new Set(before.renditions);
  const isOther = now.renditions.length !== known.size || now.renditions.some((id) => !known.has(id));
  return isOther || before.drm?.tag !== now.drm?.tag;
}
