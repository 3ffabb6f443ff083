import { make } from '../base/dom.ts';
import type { ControlParts } from '../parts.ts';

/**
 * Shows a message at the top of the video while playback is delayed: no network, server trouble, publisher
 * disconnected, or a chosen quality that is not shown yet.
 */
export function mountLineNotice({ frame, video, engine, session, liveProgress, say }: ControlParts): void {
  const pill = make('div', { class: 'line-notice', slot: 'top-chrome', role: 'status', noautohide: true });
  pill.hidden = true;
  frame.append(pill);
  let isTroubled = false;
  const draw = () => {
    const key = !navigator.onLine
      ? 'line.offline'
      : liveProgress.now === 'interrupted'
        ? 'line.reconnecting'
        : isTroubled
          ? 'line.trouble'
          : engine.isSwitching
            ? 'line.switching'
            : null;
    const quality = engine.wantedHeightPx === null ? say('auto') : `${engine.wantedHeightPx}p`;
    const text = key === null ? '' : say(key, { quality });
    pill.hidden = key === null || !session.isPlayable || frame.hasAttribute('unplayable');
    if (key !== null && pill.textContent !== text) pill.textContent = text;
    frame.toggleAttribute('troubled', isTroubled);
  };
  const setTrouble = (value: boolean) => () => {
    isTroubled = value;
    draw();
  };
  engine.addEventListener('switching', draw);
  engine.addEventListener('trouble', setTrouble(true));
  engine.addEventListener('loaded', setTrouble(false));
  video.addEventListener('playing', setTrouble(false));
  session.addEventListener('view', draw);
  liveProgress.addEventListener('change', draw);
  for (const name of ['online', 'offline']) window.addEventListener(name, draw);
  window.addEventListener('online', () => engine.retryNow());
  // A device that slept has lost its connections.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !video.paused) engine.retryNow();
  });
  draw();
}
