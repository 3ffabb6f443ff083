import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import type { ControlParts } from '../parts.ts';

const SHOWN_MS = 8_000;

/** Shows the position at which playback resumes, and a button to start over. */
export function mountResumed({ frame, video, session, options, say, resumedSec }: ControlParts): void {
  if (resumedSec <= 0 || options.startSec !== null || !session.isVideo) return;
  const again = make('button', { type: 'button' }, say('startOver'));
  const chip = make('div', { class: 'resumed', slot: 'top-chrome', role: 'status', noautohide: true });
  chip.append(make('span', {}, say('resumed', { time: writeTime(resumedSec) })), again);
  again.addEventListener('click', () => {
    video.currentTime = 0;
    chip.remove();
  });
  frame.append(chip);
  const leave = () => setTimeout(() => chip.remove(), SHOWN_MS);
  if (video.paused) video.addEventListener('playing', leave, { once: true });
  else leave();
}
