import { make } from '../base/dom.ts';
import { sayTime, writeTime } from '../base/time.ts';
import { findParts, type Spoken, spokenAt } from './spoken.ts';

type Parts = { video: HTMLVideoElement; seek(sec: number): void; follow: HTMLButtonElement; label: string };
type Row = { spoken: Spoken; button: HTMLButtonElement; words: HTMLElement };

/**
 * The list of spoken text. The current entry is highlighted and kept in view until the viewer scrolls away. A click on
 * an entry seeks. Only one entry is in the tab order, and the arrow keys move between entries.
 */
export class SpokenList {
  readonly root: HTMLOListElement;
  readonly #parts: Parts;
  #rows: readonly Row[] = [];
  #spoken: readonly Spoken[] = [];
  #found: readonly number[] = [];
  #foundAt = -1;
  #current = -1;
  #isFollowing = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    // The list itself needs no `tabindex`, because the keyboard reaches it through its entries.
    this.root = make('ol', { 'aria-label': parts.label });
    const { video, follow } = parts;
    follow.hidden = true;
    follow.addEventListener('click', () => this.follow());
    for (const name of ['timeupdate', 'seeking']) video.addEventListener(name, () => this.#mark());
    this.root.addEventListener('pointerdown', ({ target }) => {
      // The pointer is on the scroll bar.
      if (target === this.root) this.#leave();
    });
    for (const name of ['wheel', 'touchmove']) this.root.addEventListener(name, () => this.#leave(), { passive: true });
    this.root.addEventListener('keydown', (event) => this.#press(event));
  }

  show(spoken: readonly Spoken[], language: string): void {
    this.#spoken = spoken;
    this.#rows = spoken.map((one) => this.#row(one));
    this.#current = -1;
    this.root.lang = language;
    this.root.replaceChildren(...this.#rows.map(({ button }) => make('li', {}, button)));
    const [first] = this.#rows;
    if (first !== undefined) first.button.tabIndex = 0;
    this.#mark();
  }

  /** Starts keeping the current entry in view again. */
  follow(): void {
    this.#isFollowing = true;
    this.#parts.follow.hidden = true;
    this.#reveal(this.#rows[Math.max(0, this.#current)], 'centre');
  }

  /** Marks matches of a search. Returns the number of matching entries. */
  find(search: string): number {
    const found: number[] = [];
    for (const [index, { spoken, words, button }] of this.#rows.entries()) {
      const parts = findParts(spoken.text, search);
      button.classList.toggle('found', false);
      if (parts !== null) found.push(index);
      if (parts !== null || words.childElementCount > 0)
        words.replaceChildren(
          ...(parts ?? [{ text: spoken.text, isFound: false }]).map(({ text, isFound }) =>
            isFound ? make('mark', {}, text) : text,
          ),
        );
    }
    this.#found = found;
    this.#foundAt = -1;
    const first = this.#rows[found.find((index) => index >= this.#current) ?? found[0] ?? -1];
    if (first !== undefined) {
      this.#leave();
      this.#reveal(first, 'centre');
    } else if (search.trim() === '') this.follow();
    return found.length;
  }

  /** Seeks to the next or previous match. The first call seeks to the next match after the current position. */
  step(direction: 1 | -1): { place: number; count: number } | null {
    const count = this.#found.length;
    if (count === 0) return null;
    const here = this.#found.findIndex((index) => index >= this.#current);
    const next = this.#foundAt === -1 ? (here === -1 ? 0 : here) : this.#foundAt + direction;
    this.#rows[this.#found[this.#foundAt] ?? -1]?.button.classList.remove('found');
    this.#foundAt = (next + count) % count;
    const row = this.#rows[this.#found[this.#foundAt] ?? -1];
    if (row === undefined) return null;
    row.button.classList.add('found');
    this.#reveal(row, 'centre');
    this.#parts.seek(row.spoken.startSec);
    return { place: this.#foundAt + 1, count };
  }

  focus(): void {
    this.root.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }

  #row(spoken: Spoken): Row {
    const time = make('time', { 'aria-label': sayTime(spoken.startSec) }, writeTime(spoken.startSec));
    const words = make('span', { class: 'words', dir: 'auto' }, spoken.text);
    const speaker = spoken.speaker === '' ? [] : [make('span', { class: 'speaker' }, spoken.speaker)];
    const button = make('button', { type: 'button', tabindex: '-1' }, time, ...speaker, words);
    button.addEventListener('click', () => {
      this.#parts.seek(spoken.startSec);
      this.#isFollowing = true;
      this.#parts.follow.hidden = true;
    });
    return { spoken, button, words };
  }

  #mark(): void {
    if (!this.root.checkVisibility()) return;
    const index = spokenAt(this.#spoken, this.#parts.video.currentTime);
    if (index === this.#current) return;
    this.#rows[this.#current]?.button.removeAttribute('aria-current');
    this.#current = index;
    const row = this.#rows[index];
    row?.button.setAttribute('aria-current', 'true');
    if (!this.root.contains(document.activeElement)) this.#take(index);
    if (this.#isFollowing) this.#reveal(row, 'near');
  }

  /** Scrolls only this list. The page around the player does not move. */
  #reveal(row: Row | undefined, place: 'centre' | 'near'): void {
    if (row === undefined) return;
    const [entry, list] = [row.button.getBoundingClientRect(), this.root.getBoundingClientRect()];
    const isSeen = entry.top >= list.top && entry.bottom <= list.bottom;
    if (isSeen && place === 'near') return;
    this.root.scrollTop += entry.top - list.top - (list.height - entry.height) / 2;
  }

  /** Puts an entry in the tab order, and removes the previous one. */
  #take(index: number): void {
    for (const button of this.root.querySelectorAll<HTMLElement>('[tabindex="0"]')) button.tabIndex = -1;
    const row = this.#rows[Math.max(0, index)];
    if (row !== undefined) row.button.tabIndex = 0;
  }

  #leave(): void {
    this.#isFollowing = false;
    this.#parts.follow.hidden = false;
  }

  #press(event: KeyboardEvent): void {
    const index = this.#rows.findIndex(({ button }) => button === document.activeElement);
    const places: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const target = this.#rows[places[event.key] ?? -1];
    if (target === undefined) return;
    event.preventDefault();
    this.#leave();
    this.#take(places[event.key] ?? 0);
    target.button.focus({ preventScroll: true });
    this.#reveal(target, 'near');
  }
}
