import { adoptStyle, make } from '../base/dom.ts';
import type { Say } from '../base/say.ts';
import { writeTime } from '../base/time.ts';
import { AD_STYLE } from './ad-style.ts';
import type { Ad } from './find-ad.ts';

/** Result of an advertisement. `refused`: the browser requires a user gesture to start it. */
export type AdEnd = 'over' | 'refused';
export type ShownAd = { ended: Promise<AdEnd>; toggle(): void };

type Parts = { frame: HTMLElement; video: HTMLVideoElement; ad: Ad; say: Say };

/** Time after which an advertisement that does not start or advance is skipped, in ms. */
const PATIENCE_MS = 8_000;
/** VAST 4.2 section 2.3.6.3: the linear media could not be displayed. */
const NOT_DISPLAYED = '405';

/** Shows an advertisement over the video, and reports to the ad server how much of it was watched. */
export function showAd({ frame, video, ad, say }: Parts): ShownAd {
  adoptStyle(AD_STYLE);
  const film = make('video', { playsinline: true, class: 'ad-film' });
  film.muted = video.muted;
  film.volume = video.volume;
  const time = make('span', { class: 'ad-time' });
  const label = make('span', { class: 'ad-label' }, make('strong', {}, say('ad')), time);
  const skip = make('button', { type: 'button', class: 'ad-skip' });
  const bar = make('div', { class: 'ad-bar' }, label, ...visitLink(ad, film, say), skip);
  const screen = make(
    'div',
    { class: 'ad', slot: 'dialog', role: 'region', 'aria-label': say('ad'), noautohide: true },
    film,
    bar,
  );
  const draw = () => {
    const leftSec = Number.isFinite(film.duration) ? film.duration - film.currentTime : 0;
    time.textContent = writeTime(Math.max(0, leftSec));
    const untilSkipSec = ad.skipSec === null ? 0 : Math.ceil(ad.skipSec - film.currentTime);
    skip.hidden = ad.skipSec === null;
    skip.disabled = untilSkipSec > 0;
    skip.textContent = untilSkipSec > 0 ? say('ad.skipIn', { sec: untilSkipSec }) : say('ad.skip');
  };
  const { promise, resolve } = Promise.withResolvers<AdEnd>();
  let isOver = false;
  const end = (how: AdEnd) => {
    if (isOver) return;
    isOver = true;
    film.removeAttribute('src');
    film.load();
    screen.remove();
    frame.toggleAttribute('in-ad', false);
    resolve(how);
  };
  const fail = () => {
    if (isOver) return;
    ad.tracker.errorWithCode(NOT_DISPLAYED);
    end('over');
  };
  report(film, ad);
  let patience = setTimeout(fail, PATIENCE_MS);
  const wait = () => {
    clearTimeout(patience);
    if (!film.paused) patience = setTimeout(fail, PATIENCE_MS);
  };
  for (const name of ['timeupdate', 'play', 'pause']) film.addEventListener(name, wait);
  film.addEventListener('timeupdate', draw);
  film.addEventListener('error', fail);
  film.addEventListener('ended', () => end('over'));
  skip.addEventListener('click', () => {
    ad.tracker.skip();
    end('over');
  });
  const toggle = () => (film.paused ? void play() : film.pause());
  film.addEventListener('click', toggle);
  const play = () =>
    film.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError') end('refused');
      else fail();
    });
  draw();
  frame.append(screen);
  frame.toggleAttribute('in-ad', true);
  film.src = ad.mediaUrl;
  void play();
  return { ended: promise, toggle };
}

/** Returns a link to the advertiser's page, which is opened only by a click of the viewer. */
function visitLink({ clickUrl, tracker }: Ad, film: HTMLVideoElement, say: Say): Node[] {
  if (clickUrl === null || !/^https?:/i.test(clickUrl)) return [];
  const link = make('a', { class: 'ad-visit', href: clickUrl, target: '_blank', rel: 'noopener' }, say('ad.visit'));
  link.addEventListener('click', () => {
    tracker.click();
    film.pause();
  });
  return [link];
}

function report(film: HTMLVideoElement, { tracker }: Ad): void {
  film.addEventListener('playing', () => tracker.trackImpression(), { once: true });
  film.addEventListener('durationchange', () => {
    if (Number.isFinite(film.duration)) tracker.setDuration(film.duration);
  });
  film.addEventListener('timeupdate', () => tracker.setProgress(film.currentTime));
  film.addEventListener('volumechange', () => tracker.setMuted(film.muted));
  film.addEventListener('pause', () => {
    if (!film.ended) tracker.setPaused(true);
  });
  film.addEventListener('play', () => tracker.setPaused(false));
  film.addEventListener('ended', () => tracker.complete());
}
