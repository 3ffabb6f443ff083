import { isTyping, keyOf } from '../bar/keyboard.ts';
import { PressButton } from '../bar/press-button.ts';
import { adoptStyle, make } from '../base/dom.ts';
import { type IconName, icon } from '../base/icon.ts';
import type { ControlParts } from '../parts.ts';
import { PLAYLIST_STYLE } from './playlist-style.ts';
import { type ListedVideo, mountUpNext } from './up-next.ts';

/** Maximum time of a request for the list, in ms. Then the last known list applies. */
const MAX_LIST_MS = 5_000;

/** The videos before and after the current one; null at the ends of the list. */
type Neighbours = { previous: ListedVideo | null; next: ListedVideo | null };

class PlaylistButton extends PressButton {}

customElements.define('bunny-playlist-button', PlaylistButton);

/**
 * Adds the buttons, keys and countdown that open the other videos of a share page. Each video has its own player page
 * and token, so this page is replaced.
 */
export async function mountPlaylist(parts: ControlParts, path: string): Promise<void> {
  const { frame, video, config, say } = parts;
  const first = await fetchVideos(path);
  let shown = neighboursOf(first ?? [], config.mediaId);
  if (first !== null && shown.previous === null && shown.next === null) return;
  adoptStyle(PLAYLIST_STYLE);
  const open = (wanted: ListedVideo | null) => {
    if (wanted === null) return;
    const query = new URLSearchParams({ video: wanted.id, autoplay: 'true', ...(video.muted && { muted: 'true' }) });
    location.replace(`${path}/player?${query}`);
  };
  const go = { previous: () => open(shown.previous), next: () => open(shown.next) };
  const previous = button('previousVideo', say('playlist.previous'), go.previous);
  const next = button('nextVideo', say('playlist.next'), go.next);
  const draw = () => {
    previous.hidden = shown.previous === null;
    next.hidden = shown.next === null;
    offerOnLockScreen('previoustrack', shown.previous && go.previous);
    offerOnLockScreen('nexttrack', shown.next && go.next);
  };
  const row = frame.querySelector('.row');
  const play = row?.querySelector('media-play-button');
  if (play == null) row?.prepend(previous, next);
  else play.after(previous, next);
  draw();
  listenToKeys(go);
  // The first request may have failed, and the list may have changed during the video.
  const findNext = async () => {
    const videos = await fetchVideos(path);
    if (videos !== null) shown = neighboursOf(videos, config.mediaId);
    draw();
    return shown.next;
  };
  if (first === null) video.addEventListener('play', () => void findNext(), { once: true });
  mountUpNext(parts, { findNext, open });
}

/** Returns the videos of the list. Returns null if the share has ended or the network fails. */
async function fetchVideos(path: string): Promise<readonly ListedVideo[] | null> {
  try {
    const answer = await fetch(`${path}/list`, { cache: 'no-store', signal: AbortSignal.timeout(MAX_LIST_MS) });
    if (!answer.ok) return null;
    // The response comes from our own server.
    const { videos } = (await answer.json()) as { videos: ListedVideo[] };
    return videos.length > 0 ? videos : null;
  } catch {
    return null;
  }
}

function neighboursOf(videos: readonly ListedVideo[], id: string): Neighbours {
  const index = videos.findIndex((video) => video.id === id);
  if (index === -1) return { previous: null, next: null };
  return { previous: videos[index - 1] ?? null, next: videos[index + 1] ?? null };
}

function button(name: IconName, label: string, press: () => void): HTMLElement {
  const made = new PlaylistButton();
  made.append(icon(name), make('span', { slot: 'tooltip-content' }, label));
  made.setAttribute('aria-label', label);
  made.addEventListener('press', press);
  return made;
}

function listenToKeys(go: { previous(): void; next(): void }): void {
  document.addEventListener('keydown', (event) => {
    const { shiftKey, ctrlKey, metaKey, altKey } = event;
    if (event.defaultPrevented || !shiftKey || ctrlKey || metaKey || altKey || isTyping(event)) return;
    const action = { n: go.next, p: go.previous }[keyOf(event)];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function offerOnLockScreen(action: 'previoustrack' | 'nexttrack', run: (() => void) | null): void {
  if (!('mediaSession' in navigator)) return;
  try {
    navigator.mediaSession.setActionHandler(action, run);
  } catch (error) {
    // A browser refuses actions that it does not know.
    if (!(error instanceof TypeError)) throw error;
  }
}
