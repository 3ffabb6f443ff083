import 'media-chrome/dist/media-controller.js';
import 'media-chrome/dist/media-control-bar.js';
import 'media-chrome/dist/media-play-button.js';
import 'media-chrome/dist/media-mute-button.js';
import 'media-chrome/dist/media-volume-range.js';
import 'media-chrome/dist/media-seek-backward-button.js';
import 'media-chrome/dist/media-seek-forward-button.js';
import 'media-chrome/dist/media-captions-button.js';
import 'media-chrome/dist/media-pip-button.js';
import 'media-chrome/dist/media-airplay-button.js';
import 'media-chrome/dist/media-fullscreen-button.js';
import 'media-chrome/dist/media-loading-indicator.js';
import { createActions } from './bar/actions.ts';
import { createClock } from './bar/clock.ts';
import { mountKeyboard } from './bar/keyboard.ts';
import { layOut } from './bar/layout.ts';
import { mountKeyframes } from './bar/mount-keyframes.ts';
import { mountPosterImage } from './bar/poster-image.ts';
import { TimeRange } from './bar/time-range.ts';
import { mountSideTaps, mountTouch } from './bar/touch.ts';
import { setMediaWords } from './base/media-words.ts';
import { playlistPath } from './base/playlist-path.ts';
import { CaptionTracks } from './captions/caption-tracks.ts';
import { CaptionsDisplay } from './captions/captions-display.ts';
import { CaptionsStyle } from './captions/captions-style.ts';
import { mountMediaSession } from './embed/media-session.ts';
import { mountPlayerJs } from './embed/player-js.ts';
import { Menu } from './menu/menu.ts';
import { hasSettings, menuPages } from './menu/pages.ts';
import { mountEndScreen } from './notice/end-screen.ts';
import { mountKeysHelp } from './notice/keys-help.ts';
import { mountLineNotice } from './notice/line-notice.ts';
import { mountNotice } from './notice/notice.ts';
import { mountResumed } from './notice/resumed.ts';
import type { ControlParts } from './parts.ts';
import { mountTranscriptButton } from './transcript/transcript-button.ts';

/** Time limit for fetching the controls of a playlist. */
const PLAYLIST_PATIENCE = { withinMs: 15_000, retryAfterMs: [500, 3_000] };

/** Builds the controls around a video that is already loading. */
export function mountControls(parts: ControlParts): void {
  const { frame, video, session, memory, say, config, options } = parts;
  setMediaWords(document.documentElement.lang, say);
  const range = new TimeRange();
  range.use(video, say);
  const actions = createActions(parts, range);
  range.addEventListener('seek', (event) => {
    if (event instanceof CustomEvent) actions.seek(event.detail);
  });
  const captions = mountCaptions(parts);
  const style = new CaptionsStyle(frame, memory, config.look);
  const menu = new Menu();
  const lists = { ...parts, captions, style, seek: actions.seek };
  menu.use(menuPages(lists));
  menu.addEventListener('toggle', () => frame.toggleAttribute('menu-open', menu.isOpen));
  mountPosterImage(parts);
  layOut(parts, { range, clock: createClock(parts, range), menu, hasSettings: () => hasSettings(lists) });
  mountTranscriptButton({
    ...parts,
    seek: actions.seek,
    shownLanguage: () => captions.shown?.language ?? '',
  });
  mountEndScreen(parts);
  mountNotice(parts);
  mountLineNotice(parts);
  mountResumed(parts);
  const toggleHelp = mountKeysHelp(parts);
  const wake = () => frame.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse', bubbles: true }));
  mountKeyboard(parts, { actions, toggleCaptions: () => captions.toggle(), toggleHelp, wake });
  mountTouch(frame, video);
  mountSideTaps(frame, video, actions.seekBy);
  mountMediaSession(parts, actions);
  mountKeyframes(parts, range);
  keepChoices(parts);
  keepOwnSize(parts);
  const show = () => {
    const { state, isLive } = session;
    const { chapters, heat, storyboardUrl } = state.details;
    const length = { expectedSec: state.source?.durationSec ?? 0, isGrowing: state.phase.kind === 'processing' };
    range.show({ isLive, ...length, chapters, storyboardUrl, heat: options.showsHeat ? heat : null });
    captions.show(state.details.captions);
    frame.toggleAttribute('live', isLive);
  };
  session.addEventListener('view', show);
  show();
  frame.setAttribute('aria-label', session.state.title || say('player'));
  frame.addEventListener('dblclick', (event) => {
    if (event.target === video || event.target === frame) actions.toggleFullscreen();
  });
  frame.toggleAttribute('ready', true);
  mountPlayerJs(parts);
  if (options.offersCast) whenClear(session, () => void offerCast(parts));
  const list = playlistPath();
  if (list !== null) void offerPlaylist(parts, list);
}

/**
 * Calls `run` once, as soon as unencrypted media can be played: immediately, or when a video that is being processed or
 * an announced stream becomes available.
 */
function whenClear(session: ControlParts['session'], run: () => void): void {
  const look = () => {
    if (session.state.source?.drm !== null) return;
    session.removeEventListener('view', look);
    run();
  };
  session.addEventListener('view', look);
  look();
}

/** Offers Cast if the page's URL requests it. Google's script is the only third-party script that the player loads. */
async function offerCast(parts: ControlParts): Promise<void> {
  const { mountCast } = await import('./cast/cast.ts');
  await mountCast(parts);
}

/** Adds the controls of a playlist. Its module is fetched on demand. */
async function offerPlaylist(parts: ControlParts, path: string): Promise<void> {
  const part = await parts.loadPart(() => import('./playlist/mount-playlist.ts'), PLAYLIST_PATIENCE);
  await part?.mountPlaylist(parts, path);
}

/** Limits the size of the video to that of its highest rung if the page's URL contains `responsive=false`. */
function keepOwnSize({ frame, engine, options }: ControlParts): void {
  if (options.fillsFrame) return;
  frame.toggleAttribute('own-size', true);
  const draw = () => {
    const [tallest] = engine.qualities;
    if (tallest !== undefined) frame.style.setProperty('--own-height', `${tallest.heightPx}px`);
  };
  engine.addEventListener('qualities', draw);
  draw();
}

function mountCaptions({ frame, video, memory, options }: ControlParts): CaptionTracks {
  const display = new CaptionsDisplay();
  display.setAttribute('noautohide', '');
  display.use(video);
  frame.append(display);
  const tracks = new CaptionTracks(video, memory, options.captions);
  // Handle the event here, because media-chrome would use its own stored choice.
  frame.addEventListener(
    'mediatogglesubtitlesrequest',
    (event) => {
      event.stopImmediatePropagation();
      tracks.toggle();
    },
    { capture: true },
  );
  return tracks;
}

/** Restores the volume, audio track and speed that the viewer chose. */
function keepChoices({ video, memory, options, session }: ControlParts): void {
  const rate = memory.readNumber('rate');
  if (rate !== null && options.showsSpeed && !session.isLive) video.playbackRate = rate;
  video.addEventListener('volumechange', () => memory.keep('volume', video.volume));
}
