import { make } from '../base/dom.ts';
import { writeTime } from '../base/time.ts';
import type { Keyframes } from './keyframes.ts';
import { findStill, readStoryboard, type Still } from './storyboard.ts';

/** Minimum time before a failed storyboard is requested again, in ms. */
const RETRY_MS = 10_000;

/** The preview box above the bar. It shows the image at a time, the chapter and the time. */
export class Preview {
  readonly box: HTMLElement;
  readonly #picture = make('div', { class: 'picture' });
  readonly #sheet = make('img', { alt: '', draggable: 'false' });
  readonly #canvas = make('canvas', {});
  readonly #chapter = make('div', { class: 'title' });
  readonly #time = make('div', { class: 'time' });
  #url: string | null = null;
  #keyframes: Keyframes | null = null;
  #stills: readonly Still[] = [];
  /** Earliest time of the next request, in ms of the page's clock. Infinity once the storyboard is loaded. */
  #fetchAtMs = 0;
  #lookedAtSec = 0;

  constructor() {
    this.#picture.append(this.#sheet, this.#canvas);
    this.#canvas.hidden = true;
    this.#picture.hidden = true;
    this.box = make('div', { class: 'preview', part: 'preview', 'aria-hidden': 'true' });
    this.box.append(this.#picture, this.#chapter, this.#time);
  }

  /** Sets the keyframes of a live stream, which has no storyboard. Null for a video. */
  useKeyframes(keyframes: Keyframes | null): void {
    this.#keyframes = keyframes;
  }

  /** Sets the URL of the storyboard, which is fetched on first use. */
  use(storyboardUrl: string | null): void {
    if (storyboardUrl === this.#url) return;
    this.#url = storyboardUrl;
    this.#stills = [];
    this.#fetchAtMs = 0;
  }

  show(sec: number, shownSec: number, chapter: string | null): void {
    this.#lookedAtSec = sec;
    void this.#fetch();
    this.#time.textContent = writeTime(shownSec);
    this.#chapter.textContent = chapter ?? '';
    this.#chapter.hidden = chapter === null;
    this.#showPicture();
  }

  #showPicture(): void {
    this.#canvas.hidden = this.#keyframes === null;
    this.#sheet.hidden = this.#keyframes !== null;
    if (this.#keyframes !== null) {
      this.#drawKeyframe(this.#keyframes);
      return;
    }
    const still = findStill(this.#stills, this.#lookedAtSec);
    this.#picture.hidden = still === null;
    if (still !== null) this.#paint(still);
  }

  /** Draws the keyframe at the current time. The previous image stays visible until the new one arrives. */
  #drawKeyframe(keyframes: Keyframes): void {
    const picture = keyframes.look(this.#lookedAtSec, () => this.#showPicture());
    if (picture === null) return;
    const { width, height } = picture;
    Object.assign(this.#canvas, { width, height });
    this.#canvas.getContext('2d')?.drawImage(picture, 0, 0);
    this.#picture.style.aspectRatio = `${width} / ${height}`;
    this.#picture.hidden = false;
  }

  #paint({ url, x, y, width, height }: Still): void {
    const scale = Math.min(1, this.#picture.clientWidth / width) || 1;
    if (this.#sheet.src !== url) this.#sheet.src = url;
    this.#picture.style.aspectRatio = `${width} / ${height}`;
    this.#sheet.style.transform = `scale(${scale}) translate(${-x}px, ${-y}px)`;
  }

  async #fetch(): Promise<void> {
    const given = this.#url;
    if (given === null || performance.now() < this.#fetchAtMs) return;
    this.#fetchAtMs = Number.POSITIVE_INFINITY;
    const url = new URL(given, location.href).href;
    const response = await fetch(url).catch(() => null);
    // The storyboard may have changed during the request.
    if (given !== this.#url) {
      await response?.body?.cancel();
      return;
    }
    // Until the storyboard is loaded, only the time is shown. A later call tries again.
    if (response === null || !response.ok) {
      this.#fetchAtMs = performance.now() + RETRY_MS;
      await response?.body?.cancel();
      return;
    }
    this.#stills = readStoryboard(await response.text(), url);
    this.#showPicture();
  }
}
