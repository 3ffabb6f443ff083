import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import type { ControlParts } from '../parts.ts';
import type { TimeRange } from './time-range.ts';

/** A position within this distance of the live edge counts as live. */
const AT_EDGE_SEC = 8;

/** Current time and length. For a live stream, the latency and a button back to the live edge. */
export function createClock({ video, engine, session, config, say }: ControlParts, range: TimeRange): HTMLElement {
  const current = make('span', { class: 'current' });
  const total = make('span', { class: 'total' });
  const live = make(
    'button',
    { type: 'button', class: 'live-button' },
    make('span', { class: 'dot', 'aria-hidden': 'true' }),
  );
  const word = make('span', { class: 'live-word' });
  const viewers = make('span', { class: 'viewers' });
  live.append(word);
  live.addEventListener('click', () => {
    engine.goLive();
    video.play().catch(() => undefined);
  });
  const clock = make('div', { class: 'clock' }, live, current, total, viewers);
  const has = (name: string) => config.look.controls.includes(name);
  const draw = () => {
    const { view, isLive } = session;
    const latencySec = engine.latencySec ?? 0;
    const target = 'live' in view ? view.live.targetLatencySec : 0;
    const isBehind = isLive && latencySec > target + AT_EDGE_SEC;
    live.hidden = !isLive;
    live.toggleAttribute('behind', isBehind);
    live.setAttribute('aria-label', say(isBehind ? 'live.back' : 'live.now'));
    write(word, say(isBehind ? 'live.back' : 'live'));
    total.hidden = isLive || !(has('duration') || has('current-time'));
    current.hidden = isLive ? !isBehind : !has('current-time');
    write(current, isLive ? writeTime(-latencySec) : writeTime(video.currentTime));
    write(total, writeTime(range.span.endSec));
    const count = view.kind === 'live' ? view.live.viewers : null;
    // In the first seconds the viewer is not counted yet.
    viewers.hidden = count === null || count === 0;
    if (count !== null) write(viewers, say('live.viewers', { count }));
  };
  for (const name of ['timeupdate', 'durationchange', 'seeking', 'progress']) video.addEventListener(name, draw);
  session.addEventListener('view', draw);
  // Media that is not loaded yet has the length that the server states.
  range.addEventListener('facts', draw);
  draw();
  return clock;
}

/** Unchanged text is not written again, so that screen readers and layout see no change. */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
