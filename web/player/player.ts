import { readConfig } from './base/config.ts';
import { Memory } from './base/memory.ts';
import { previewLook } from './base/preview-look.ts';
import { createSay } from './base/say.ts';
import { readStartOptions } from './base/start-options.ts';
import { Engine } from './engine/engine.ts';
import { watchGaps } from './engine/gap-watch.ts';
import { keepPlaying } from './engine/keep-playing.ts';
import { returnToLive } from './engine/return-to-live.ts';
import { LineHistory } from './line/line-history.ts';
import { watchLiveProgress } from './live-progress.ts';
import { loadPart } from './load-part.ts';
import { paintBlur } from './paint-blur.ts';
import { Position } from './position.ts';
import { type Beacons, sendBeacons } from './send-beacons.ts';
import { Session } from './session.ts';
import { followState, renewTicket } from './state-feed.ts';

/** Maximum time by which loading of the controls is delayed in favour of the first segment, in ms. */
const CONTROLS_AFTER_MS = 3_000;
/**
 * Time limits for fetching the controls and the advertisement module. If they are exceeded, the page continues with the
 * native controls of the browser, or without the advertisement.
 */
const CONTROLS_PATIENCE = { withinMs: 15_000, retryAfterMs: [500, 3_000] };
const AD_PATIENCE = { withinMs: 5_000 };

// The entry point of the page. It starts the engine first, so that the video loads while the controls are fetched.
const stored = readConfig();
const preview = previewLook(stored.look, location.search);
const config = { ...stored, look: preview.look };
for (const [name, value] of preview.variables) document.documentElement.style.setProperty(name, value);
const frame = document.querySelector<HTMLElement>('media-controller');
const video = frame?.querySelector('video');
if (!frame || !video)
  throw new Error('Expected the page to contain a player frame and a video element, got no such elements.');

const say = createSay(config.words);
const memory = new Memory(config.libraryId);
const options = readStartOptions(location.search, config.look);
const position = new Position(memory, config.mediaId);
video.muted = options.muted;
video.loop = options.loop;
video.playsInline = options.playsInline;
video.volume = memory.readNumber('volume') ?? 1;
const { vastTagUrl } = config.look;
// Previews of owners do not show the advertisement.
if (vastTagUrl !== null && options.counts) {
  const ads = await loadPart(() => import('./ads/hold-for-ad.ts'), AD_PATIENCE);
  ads?.holdForAd({ frame, video, tagUrl: vastTagUrl, say });
}
const engine = new Engine(video);
watchGaps(video, engine);
keepPlaying(video, engine);
returnToLive(video, engine);
const resumeSec = options.remembersPosition ? position.read() : 0;
// All players of the origin share the connection.
const lines = new LineHistory(new Memory('line'));
const session = new Session({ video, engine, options, lines, stateUrl: config.stateUrl, resumeSec }, config.state);
if (options.remembersPosition) position.follow(video, () => session.isVideo);
paintBlur(frame, config.state);

let beacons: Beacons | null = null;
if (options.counts) {
  // Do not measure the startup time while waiting for a stream or for the processing of a video.
  const measuresStart = session.isPlayable && !session.isTrailer;
  let playsItself = options.autoplay;
  session.addEventListener('blocked', () => {
    playsItself = false;
  });
  const counts = () => !session.isTrailer;
  const renew = (ticket: string) => renewTicket(config.stateUrl, ticket);
  session.addEventListener('recording', () => beacons?.take(session.state.viewing));
  beacons = sendBeacons(video, config.state.viewing, { counts, measuresStart, playsItself: () => playsItself, renew });
}

if (session.isPlayable && options.autoplay) await firstSegment(engine);
const controls = await loadPart(() => import('./controls.ts'), CONTROLS_PATIENCE);
if (controls === null) video.controls = true;
const liveProgress = watchLiveProgress(video, session);
const parts = { frame, video, engine, session, liveProgress, options, memory, config, say, loadPart };
controls?.mountControls({ ...parts, resumedSec: resumeSec });
await followState(config.stateUrl, config.state, {
  onAnswer(answer) {
    session.take(answer);
    if (answer.kind === 'state' && session.isVideo) beacons?.take(answer.state.viewing);
  },
  // Follow the state in a hidden page while a trailer plays. Otherwise the trailer would continue after its stream has
  // begun.
  followsHidden: () => session.isTrailer && !video.paused,
});

/** Resolves with the first loaded segment, when playback is refused, or after a timeout. */
function firstSegment(source: Engine): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    source.addEventListener('loaded', end, { once: true });
    for (const name of ['trouble', 'denied']) source.addEventListener(name, end, { once: true });
    session.addEventListener('blocked', end, { once: true });
    setTimeout(end, CONTROLS_AFTER_MS);
  });
}
