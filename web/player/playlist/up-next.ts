import { make } from '../base/dom.ts';
import type { ControlParts } from '../parts.ts';

/** A video of the playlist. */
export type ListedVideo = { id: string; title: string };

/** Time between the end of a video and the start of the next one, in s. */
const COUNTDOWN_SEC = 10;

type Next = { findNext(): Promise<ListedVideo | null>; open(video: ListedVideo): void };

/** Shows the next video over the end of this one, with a countdown that the viewer can cancel. */
export function mountUpNext({ frame, video, session, say }: ControlParts, { findNext, open }: Next): void {
  const title = make('p', { class: 'up-next-title', role: 'status' });
  const time = make('p', { class: 'up-next-time', role: 'timer' });
  const now = make('button', { type: 'button', class: 'up-next-now' }, say('playlist.playNow'));
  const cancel = make('button', { type: 'button', class: 'up-next-cancel' }, say('playlist.cancel'));
  const box = make('div', { class: 'up-next' }, title, time, make('div', { class: 'up-next-row' }, now, cancel));
  box.hidden = true;
  frame.querySelector('.end-screen')?.append(box);
  let next: ListedVideo | null = null;
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    time.textContent = '';
    cancel.hidden = true;
  };
  const leave = () => {
    stop();
    next = null;
    box.hidden = true;
  };
  const start = () => {
    let leftSec = COUNTDOWN_SEC;
    const draw = () => {
      time.textContent = say('playlist.startsIn', { sec: String(leftSec) });
    };
    cancel.hidden = false;
    draw();
    timer = window.setInterval(() => {
      leftSec -= 1;
      if (leftSec > 0) draw();
      else if (next !== null) {
        stop();
        open(next);
      }
    }, 1_000);
  };
  const offer = async () => {
    // The viewer has only reached the end of a video that is still growing.
    if (session.isLive || session.view.kind === 'processing') return;
    const found = await findNext();
    // The viewer may have started the video again.
    if (found === null || !video.ended) return;
    next = found;
    // Shown first, because screen readers announce only changes of a visible status.
    box.hidden = false;
    title.textContent = say('playlist.upNext', { title: found.title });
    stop();
    start();
  };
  video.addEventListener('ended', offer);
  // A short video may have ended before the list arrived.
  if (video.ended) void offer();
  now.addEventListener('click', () => {
    if (next !== null) open(next);
  });
  cancel.addEventListener('click', () => {
    stop();
    now.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || next === null || cancel.hidden) return;
    event.preventDefault();
    cancel.click();
  });
  for (const name of ['play', 'seeking', 'emptied']) video.addEventListener(name, leave);
}
