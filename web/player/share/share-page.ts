import { type Cue, readCues } from '../base/cues.ts';
import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import { spokenOf } from '../transcript/spoken.ts';
import { openComments } from './comments.ts';
import { followPlaylist } from './follow-playlist.ts';

/** Interval at which an open page checks that it may still be shown, in ms. */
const CHECK_MS = 30_000;
/**
 * A status in this list reloads the page if it differs from the page's own status. Other statuses, such as
 * those of an overloaded server, are ignored.
 */
const ENDING = new Set([200, 403, 404, 410]);
/** Rules of quotas (`src/catalog/shield/rules.ts`). They refuse new viewers, and must not end open playback. */
const QUOTA_RULES = new Set(['10200', '10201']);

const frame = document.querySelector<HTMLIFrameElement>('#player');
const panel = document.querySelector<HTMLDetailsElement>('#transcript');

/** Reloads the page if its URL now responds with a different status, for example because the share was deleted. */
async function check(): Promise<void> {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (answer === null || !ENDING.has(answer.status)) return;
  if (QUOTA_RULES.has(answer.headers.get('X-Millrace-Rule') ?? '')) return;
  if (String(answer.status) !== document.documentElement.dataset.status) location.reload();
}

/** Sends a request to the player, which keeps it until it is ready (https://github.com/embedly/player.js). */
function ask(request: { method: string; value?: unknown; listener?: string }): void {
  const message = JSON.stringify({ context: 'player.js', version: '0.0.11', ...request });
  frame?.contentWindow?.postMessage(message, location.origin);
}

/** Starts playback at a time. */
function playFrom(sec: number): void {
  ask({ method: 'setCurrentTime', value: sec });
  ask({ method: 'play' });
  frame?.scrollIntoView({ block: 'nearest' });
}

function showCues(list: HTMLElement, cues: readonly Cue[]): void {
  const items = spokenOf(cues).map(({ startSec, speaker, text }) => {
    const time = make('span', { class: 'time' }, writeTime(startSec));
    const words = make('span', {}, speaker === '' ? text : `${speaker}: ${text}`);
    return make('li', {}, make('button', { type: 'button', 'data-start': String(startSec) }, time, ' ', words));
  });
  list.replaceChildren(...items);
}

async function showTranscript(shown: HTMLDetailsElement, url: string): Promise<void> {
  const list = shown.querySelector('ol');
  if (list === null) return;
  const answer = await fetch(url).catch(() => null);
  if (answer?.ok === true) showCues(list, readCues(await answer.text()));
  else list.replaceChildren(make('li', { role: 'alert' }, shown.dataset.away ?? ''));
}

document.addEventListener('click', ({ target }) => {
  const start = target instanceof Element ? target.closest<HTMLElement>('[data-start]')?.dataset.start : undefined;
  if (start !== undefined) playFrom(Number(start));
});
const choice = panel?.querySelector('select');
if (panel !== null && choice != null) {
  const load = () => void showTranscript(panel, choice.value);
  panel.addEventListener('toggle', () => {
    if (panel.open) load();
  });
  choice.addEventListener('change', load);
}
const comments = document.querySelector<HTMLElement>('#comments');
if (frame !== null && comments !== null) {
  // The player has the same origin, so its video is accessible.
  const timeSec = () => frame.contentDocument?.querySelector('video')?.currentTime ?? 0;
  const pause = () => ask({ method: 'pause' });
  const seek = (sec: number) => {
    pause();
    ask({ method: 'setCurrentTime', value: sec });
    frame.scrollIntoView({ block: 'nearest' });
  };
  openComments(comments, { timeSec, seek, pause });
}
const videos = document.querySelector<HTMLElement>('#videos');
if (frame !== null && videos !== null) followPlaylist(frame, videos);
setInterval(() => void check(), CHECK_MS);
window.addEventListener('focus', () => void check());
