import type { PlayerState } from '../../src/delivery/player/player-state.ts';
import type { ControlParts } from './deeds.ts';
import { element } from './parts.ts';

/** The panel over a video that cannot be played yet, or not any more, and the sign of a line in trouble. */
export function mountNotice({ frame, video, engine }: ControlParts) {
  const panel = element('div', 'notice');
  panel.setAttribute('role', 'status');
  const title = element('p', 'notice-title');
  const text = element('p', 'notice-text');
  const progress = element('progress', 'notice-progress');
  progress.max = 100;
  progress.setAttribute('aria-label', 'Processing');
  panel.append(title, progress, text);

  let denial: string | null = null;
  const say = ([heading, detail]: [string, string]) => {
    title.textContent = heading;
    text.textContent = detail;
  };

  engine.addEventListener('denied', (event) => {
    denial = event instanceof CustomEvent ? String(event.detail) : '';
    frame.classList.remove('playable', 'waiting', 'trouble');
    panel.hidden = false;
    progress.hidden = true;
    say(['This video cannot be played', denial]);
  });
  engine.addEventListener('trouble', () => frame.classList.add('trouble'));
  for (const name of ['waiting', 'stalled']) video.addEventListener(name, () => frame.classList.add('waiting'));
  for (const name of ['playing', 'canplay', 'pause']) {
    video.addEventListener(name, () => frame.classList.remove('waiting', 'trouble'));
  }
  return {
    panel,
    show(state: PlayerState) {
      if (denial !== null) return;
      frame.dataset.phase = state.phase;
      frame.classList.toggle('playable', state.isPlayable);
      panel.hidden = state.isPlayable;
      progress.hidden = state.phase !== 'processing';
      if (state.progressPercent > 0) progress.value = state.progressPercent;
      else progress.removeAttribute('value');
      say(words(state));
    },
  };
}

function words({ phase, progressPercent, reason }: PlayerState): [string, string] {
  switch (phase) {
    case 'waiting':
      return ['Waiting for the video', 'It has not been uploaded yet. Playback starts by itself.'];
    case 'processing':
      return ['Processing', progressPercent > 0 ? `${progressPercent} %` : 'Playback starts by itself.'];
    case 'finished':
      return ['Almost ready', 'Playback starts by itself.'];
    case 'failed':
      return ['This video cannot be played', reason ?? 'It could not be processed.'];
  }
}
