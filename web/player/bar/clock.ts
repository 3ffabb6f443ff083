import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import type { ControlParts } from '../parts.ts';
import type { TimeRange } from './time-range.ts';

/** Maximum delay behind the live edge, in seconds, at which a position counts as live. */
const AT_EDGE_SEC = 8;

/** Text of the button while the picture of a live stream does not move. */
const STOPPED_WORDS = { playing: null, waiting: 'loading', interrupted: 'live.away' } as const;

/**
 * Shows the current time and the length of a video. For a live stream, shows the latency and a button that returns to
 * the live edge.
 */
export function createClock(
  { video, engine, session, liveProgress, config, say }: ControlParts,
  range: TimeRange,
): HTMLElement {
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
    const stopped = STOPPED_WORDS[liveProgress.now];
    live.toggleAttribute('stopped', stopped !== null);
    live.setAttribute('aria-label', say(stopped ?? (isBehind ? 'live.back' : 'live.now')));
    write(word, say(stopped ?? (isBehind ? 'live.back' : 'live')));
    total.hidden = isLive || !(has('duration') || has('current-time'));
    current.hidden = isLive ? !isBehind : !has('current-time');
    write(current, isLive ? writeTime(-latencySec) : writeTime(video.currentTime));
    write(total, writeTime(range.span.endSec));
    const count = view.kind === 'live' ? view.live.viewers : null;
    // In the first seconds, this viewer is not counted yet, so the count may be 0.
    viewers.hidden = count === null || count === 0;
    if (count !== null) write(viewers, say('live.viewers', { count }));
  };
  for (const name of ['timeupdate', 'durationchange', 'seeking', 'progress']) video.addEventListener(name, draw);
  session.addEventListener('view', draw);
  liveProgress.addEventListener('change', draw);
  // Before the media is loaded, the length is the one declared by the server.
  range.addEventListener('facts', draw);
  draw();
  return clock;
}

/**
 * Sets the text of an element. Does not write unchanged text, because that would cause layout and screen reader
 * announcements.
 */
function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
