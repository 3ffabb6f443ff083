import { attachShadow, make } from '../base/dom.ts';
import type { Say } from '../base/say.ts';
import { sayTime } from '../base/time.ts';
import { heatPath, mostReplayed } from './heat.ts';
import type { Keyframes } from './keyframes.ts';
import { Preview } from './preview.ts';
import { TIME_RANGE_STYLE } from './time-range-style.ts';
import {
  chapterMask,
  type Expectation,
  loadedUntil,
  nextStepMs,
  partOf,
  type Span,
  spanOf,
  timeAt,
} from './timeline.ts';

export type Chapter = { title: string; startSec: number; endSec: number };
export type TimeRangeFacts = Expectation & {
  chapters: readonly Chapter[];
  heat: readonly number[] | null;
  storyboardUrl: string | null;
};

const SVG = 'http://www.w3.org/2000/svg';
const GAP_PX = 3;
const STEP_SEC = 5;
const NO_FACTS: TimeRangeFacts = {
  isLive: false,
  isGrowing: false,
  expectedSec: 0,
  chapters: [],
  heat: null,
  storyboardUrl: null,
};

/**
 * The seek bar: a slider with chapters, the loaded ranges, the heat curve and a preview. Events: `seek`, in
 * seconds, and `facts`, when the expected length may have changed.
 */
export class TimeRange extends HTMLElement {
  readonly #track = make('div', { class: 'track', part: 'track' });
  readonly #buffered = make('div', { class: 'buffered', part: 'buffered' });
  readonly #pointer = make('div', { class: 'pointer' });
  readonly #progress = make('div', { class: 'progress', part: 'progress' });
  readonly #thumb = make('div', { class: 'thumb', part: 'thumb' });
  readonly #heat = document.createElementNS(SVG, 'svg');
  readonly #hot = make('div', { class: 'hot', part: 'most-replayed', 'aria-hidden': 'true' });
  readonly #preview = new Preview();
  #video: HTMLVideoElement | null = null;
  #say: Say = (key) => key;
  #facts = NO_FACTS;
  #draggedToSec: number | null = null;
  #nextStep: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.#heat.setAttribute('class', 'heat');
    this.#heat.setAttribute('part', 'heat');
    this.#heat.setAttribute('viewBox', '0 0 100 100');
    this.#heat.setAttribute('preserveAspectRatio', 'none');
    this.#heat.setAttribute('aria-hidden', 'true');
    this.#track.append(this.#buffered, this.#pointer, this.#progress);
    this.#preview.box.prepend(this.#hot);
    attachShadow(this, TIME_RANGE_STYLE, this.#heat, this.#track, this.#thumb, this.#preview.box);
  }

  /** Connects the bar to a video. Must be called once. */
  use(video: HTMLVideoElement, say: Say): void {
    this.#video = video;
    this.#say = say;
    this.setAttribute('role', 'slider');
    this.setAttribute('tabindex', '0');
    this.setAttribute('aria-label', say('seek'));
    this.#hot.textContent = say('mostReplayed');
    const draw = () => this.#draw();
    for (const name of ['timeupdate', 'progress', 'durationchange', 'seeking', 'play', 'pause', 'emptied'])
      video.addEventListener(name, draw);
    // A screen reader announces each change, so the value is updated only on focus and after seeks and other state
    // changes, not continuously.
    for (const name of ['seeked', 'pause', 'durationchange', 'ended'])
      video.addEventListener(name, () => this.#report());
    this.addEventListener('focus', () => this.#report());
    this.#listen();
    this.#report();
  }

  show(facts: TimeRangeFacts): void {
    const isNew = facts.heat !== this.#facts.heat;
    this.#facts = facts;
    this.#preview.use(facts.storyboardUrl);
    if (isNew) this.#drawHeat(facts.heat ?? []);
    this.#draw();
    this.#report();
    this.dispatchEvent(new Event('facts'));
  }

  /** Shows keyframes of a growing stream as previews. Null for a video. */
  showKeyframes(keyframes: Keyframes | null): void {
    this.#preview.useKeyframes(keyframes);
  }

  get span(): Span {
    if (this.#video === null) return { startSec: 0, endSec: 0, reachableSec: 0 };
    return spanOf(this.#video, this.#facts);
  }

  #listen(): void {
    this.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.setPointerCapture(event.pointerId);
      this.toggleAttribute('dragging', true);
      this.#dragTo(event);
    });
    this.addEventListener('pointermove', (event) => {
      if (this.hasAttribute('dragging')) this.#dragTo(event);
      else if (event.pointerType !== 'touch') this.#look(this.#timeUnder(event));
    });
    this.addEventListener('pointerup', (event) => {
      if (this.#draggedToSec !== null) this.#seek(this.#draggedToSec);
      this.#endDrag(event.pointerType === 'touch');
    });
    this.addEventListener('pointercancel', () => this.#endDrag(true));
    this.addEventListener('pointerleave', () => {
      if (!this.hasAttribute('dragging')) this.#endDrag(true);
    });
    this.addEventListener('keydown', (event) => this.#press(event));
  }

  #press(event: KeyboardEvent): void {
    const { startSec, endSec } = this.span;
    const now = this.#video?.currentTime ?? 0;
    const places: Record<string, number> = { Home: startSec, End: endSec, PageUp: now + 60, PageDown: now - 60 };
    // The left and right arrows seek everywhere on the page. On the bar, up and down also seek.
    const target = { ...places, ArrowUp: now + STEP_SEC, ArrowDown: now - STEP_SEC }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#seek(target);
  }

  #dragTo(event: PointerEvent): void {
    this.#draggedToSec = this.#timeUnder(event);
    this.#look(this.#draggedToSec);
    this.#draw();
  }

  #endDrag(endsLook: boolean): void {
    this.#draggedToSec = null;
    this.removeAttribute('dragging');
    if (endsLook) {
      this.removeAttribute('previewing');
      this.removeAttribute('hot');
      scaleTo(this.#pointer, 0);
    }
  }

  #timeUnder({ clientX }: PointerEvent): number {
    const { left, width } = this.getBoundingClientRect();
    const part = width === 0 ? 0 : (clientX - left) / width;
    return timeAt(this.span, this.#isRtl ? 1 - part : part);
  }

  #look(sec: number): void {
    const { span } = this;
    if (span.endSec <= span.startSec) return;
    const part = partOf(span, sec);
    const chapter = this.#facts.chapters.find(({ startSec, endSec }) => startSec <= sec && sec < endSec)?.title ?? null;
    this.toggleAttribute('previewing', true);
    this.#preview.show(sec, this.#facts.isLive ? sec - span.endSec : sec, chapter);
    scaleTo(this.#pointer, part);
    const hot = mostReplayed(this.#facts.heat ?? []);
    this.toggleAttribute('hot', hot !== null && Math.abs(part - hot.at) <= hot.near);
    const { box } = this.#preview;
    const middle = (this.#isRtl ? 1 - part : part) * this.clientWidth;
    const left = Math.max(0, Math.min(this.clientWidth - box.offsetWidth, middle - box.offsetWidth / 2));
    box.style.transform = `translateX(${left}px)`;
  }

  #seek(sec: number): void {
    const { startSec, reachableSec } = this.span;
    const target = Math.max(startSec, Math.min(sec, reachableSec));
    this.dispatchEvent(new CustomEvent('seek', { detail: target, bubbles: true }));
    this.#draw();
  }

  /**
   * Draws the current position. While the bar is visible, it also moves between the events of the video, in the
   * smallest visible steps.
   */
  #draw(): void {
    const video = this.#video;
    if (video === null) return;
    const { span } = this;
    const at = this.#draggedToSec ?? video.currentTime;
    const part = partOf(span, at);
    scaleTo(this.#progress, part);
    scaleTo(this.#buffered, partOf(span, loadedUntil(video.buffered, video.currentTime)));
    this.#thumb.style.left = `${(this.#isRtl ? 1 - part : part) * 100}%`;
    const gaps = this.#facts.chapters.map(({ startSec }) => partOf(span, startSec));
    const mask = span.endSec > span.startSec ? chapterMask(gaps, GAP_PX, this.#isRtl) : 'none';
    if (this.#track.style.maskImage !== mask) this.#track.style.maskImage = mask;
    clearTimeout(this.#nextStep);
    if (video.paused || !this.checkVisibility({ opacityProperty: true })) return;
    const stepMs = nextStepMs(span, video.playbackRate, this.clientWidth * devicePixelRatio);
    if (stepMs !== null) this.#nextStep = setTimeout(() => requestAnimationFrame(() => this.#draw()), stepMs);
  }

  #drawHeat(heat: readonly number[]): void {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', heatPath(heat));
    this.#heat.replaceChildren(path);
  }

  #report(): void {
    const { startSec, endSec } = this.span;
    const now = this.#video?.currentTime ?? 0;
    this.setAttribute('aria-valuemin', '0');
    this.setAttribute('aria-valuemax', String(Math.round(endSec - startSec)));
    this.setAttribute('aria-valuenow', String(Math.round(Math.max(0, now - startSec))));
    const current = sayTime(now - startSec);
    this.setAttribute('aria-valuetext', this.#say('timeOf', { current, total: sayTime(endSec - startSec) }));
  }

  get #isRtl(): boolean {
    return getComputedStyle(this).direction === 'rtl';
  }
}

function scaleTo({ style }: HTMLElement, part: number): void {
  style.transform = `scaleX(${Math.round(part * 1e5) / 1e5})`;
}

customElements.define('bunny-media-time-range', TimeRange);
