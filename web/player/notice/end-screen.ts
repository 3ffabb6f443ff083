import { make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { ControlParts } from '../parts.ts';

/** Shows a screen over the last frame when the video has ended. */
export function mountEndScreen({ frame, video, session, say }: ControlParts): void {
  const again = make('button', { type: 'button', class: 'again' }, icon('replay'), say('again'));
  const title = make('p', { class: 'end-title' });
  const screen = make('div', { class: 'end-screen', slot: 'centered-chrome', noautohide: true }, title, again);
  screen.hidden = true;
  frame.append(screen);
  again.addEventListener('click', () => {
    video.currentTime = 0;
    video.play().catch(() => undefined);
  });
  video.addEventListener('ended', () => {
    // The viewer has only reached the end of a video that is still growing.
    if (session.isLive || session.view.kind === 'processing') return;
    title.textContent = session.state.title;
    screen.hidden = false;
    frame.toggleAttribute('at-end', true);
  });
  const hide = () => {
    screen.hidden = true;
    frame.toggleAttribute('at-end', false);
  };
  for (const name of ['play', 'seeking', 'emptied']) video.addEventListener(name, hide);
}
