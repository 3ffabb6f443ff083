import type { ControlParts } from '../parts.ts';
import { Keyframes } from './keyframes.ts';
import type { TimeRange } from './time-range.ts';

/** Shows the keyframes of a live stream as previews on the bar, if the browser can decode them. */
export function mountKeyframes(
  { session, engine }: Pick<ControlParts, 'session' | 'engine'>,
  range: Pick<TimeRange, 'showKeyframes'>,
): void {
  let shown: { url: string; keyframes: Keyframes } | null = null;
  const show = () => {
    const url = session.isLive && Keyframes.isSupported ? (session.state.source?.playlistUrl ?? null) : null;
    if (url === (shown?.url ?? null)) return;
    shown = url === null ? null : { url, keyframes: new Keyframes(url, (sec) => engine.sequenceAt(sec)) };
    range.showKeyframes(shown?.keyframes ?? null);
  };
  session.addEventListener('view', show);
  show();
}
