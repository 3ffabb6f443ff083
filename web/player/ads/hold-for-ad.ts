import type { Say } from '../base/say.ts';
import { findAd } from './find-ad.ts';
import { showAd } from './show-ad.ts';

type AdParts = { frame: HTMLElement; video: HTMLVideoElement; tagUrl: string; say: Say };

/**
 * Holds a video at its first start, regardless of how it was started, until the library's advertisement has been shown.
 * If an advertisement fails to load or play, the delay of the video is limited by the timeouts.
 */
export function holdForAd({ frame, video, tagUrl, say }: AdParts): void {
  const ending = new AbortController();
  let running: { toggle(): void } | 'fetched' | null = null;
  const hold = (event: Event) => {
    if (event.target !== video) return;
    // Other listeners must not see this event, because no frame has been shown yet.
    event.stopImmediatePropagation();
    if (event.type !== 'play') return;
    video.pause();
    if (running === null) void begin();
    else if (running !== 'fetched') running.toggle();
  };
  const begin = async () => {
    running = 'fetched';
    const heightPx = frame.clientHeight * window.devicePixelRatio;
    const ad = await findAd(tagUrl, { heightPx, isMuted: video.muted });
    const shown = ad === null ? null : showAd({ frame, video, ad, say });
    if (shown !== null) running = shown;
    const end = (await shown?.ended) ?? 'over';
    running = null;
    // Without a user gesture, a browser may refuse to play an advertisement with audio. The next start tries again.
    if (end === 'refused') return;
    ending.abort();
    video.play().catch(() => undefined);
  };
  for (const name of ['play', 'pause', 'playing'])
    document.addEventListener(name, hold, { capture: true, signal: ending.signal });
}
