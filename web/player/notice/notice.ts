import { make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { ControlParts } from '../parts.ts';
import { type Notice, noticeOf } from './words-of-view.ts';

const TICK_MS = 1_000;

/**
 * Shows a panel over a video that cannot be played yet, or can no longer be played, with the reason and the next step.
 */
export function mountNotice({ frame, session, say }: ControlParts): void {
  const title = make('p', { class: 'notice-title' });
  const text = make('p', { class: 'notice-text' });
  const progress = make('progress', { class: 'notice-progress', max: '100', 'aria-label': say('progress') });
  const media = make('p', { class: 'notice-media' });
  const label = make('span');
  const button = make('button', { type: 'button', class: 'again' }, icon('play'), label);
  button.addEventListener('click', () => session.watchRecording());
  const panel = make('div', { class: 'notice', slot: 'dialog', role: 'status', noautohide: true });
  panel.append(make('span', { class: 'notice-sign', 'aria-hidden': 'true' }), title, progress, text, media, button);
  frame.append(panel);

  let shown = '';
  const draw = () => {
    const { view, state } = session;
    const notice = noticeOf(view, state.source, say, Date.now());
    const next = JSON.stringify(notice);
    frame.dataset.view = view.kind;
    frame.toggleAttribute('unplayable', notice !== null && notice.isBeside !== true);
    panel.hidden = notice === null;
    // Do not write unchanged text, because screen readers would announce it again.
    if (notice === null || next === shown) return;
    shown = next;
    setTimer(text, view.kind === 'countdown');
    write(notice);
    media.textContent = view.kind === 'gone' || view.kind === 'refused' ? '' : state.title;
  };
  const write = ({ title: heading, text: body, percent, tone, isBeside, button: action }: Notice) => {
    panel.toggleAttribute('data-beside', isBeside === true);
    panel.dataset.tone = tone;
    title.textContent = heading;
    text.textContent = body;
    text.hidden = body === '';
    label.textContent = action ?? '';
    button.hidden = action === undefined;
    progress.hidden = percent === null;
    if (typeof percent === 'number') progress.value = percent;
    else progress.removeAttribute('value');
  };
  session.addEventListener('view', draw);
  setInterval(() => {
    if (session.view.kind === 'countdown') draw();
  }, TICK_MS);
  draw();
}

/** Sets whether a text is a countdown, so that screen readers do not announce each second. */
function setTimer(text: HTMLElement, isTimer: boolean): void {
  for (const [name, value] of Object.entries({ role: 'timer', 'aria-live': 'off' })) {
    if (isTimer) text.setAttribute(name, value);
    else text.removeAttribute(name);
  }
}
