import type { PlayerDetails } from '../../../src/delivery/player/player-state.ts';
import { readCues } from '../base/cues.ts';
import { adoptStyle, make } from '../base/dom.ts';
import { icon } from '../base/icon.ts';
import type { ControlParts } from '../parts.ts';
import { spokenOf } from './spoken.ts';
import { SpokenList } from './spoken-list.ts';
import { TRANSCRIPT_STYLE } from './transcript-style.ts';

type Captions = PlayerDetails['captions'];

export type TranscriptParts = ControlParts & {
  seek(sec: number): void;
  /** Returns the language of the visible captions, or an empty string if none are visible. */
  shownLanguage(): string;
  /** The button that opens the panel. */
  button: HTMLElement;
};

/**
 * Panel with the spoken text of the video, which the viewer can read, search and follow. It is next to the video, or
 * covers it if there is no space.
 */
export class TranscriptPanel {
  readonly #parts: TranscriptParts;
  readonly #root: HTMLElement;
  readonly #language: HTMLSelectElement;
  readonly #search: HTMLInputElement;
  readonly #count = make('span', { class: 'transcript-count', role: 'status' });
  readonly #note = make('p', { class: 'transcript-note', role: 'status' });
  readonly #list: SpokenList;
  readonly #steps: readonly HTMLButtonElement[];
  #captions: Captions = [];
  #shownUrl: string | null = null;

  constructor(parts: TranscriptParts) {
    adoptStyle(TRANSCRIPT_STYLE);
    const { frame, video, say, session, seek, button } = parts;
    this.#parts = parts;
    this.#language = make('select', { 'aria-label': say('transcript.language') });
    this.#search = make('input', {
      type: 'search',
      placeholder: say('transcript.search'),
      'aria-label': say('transcript.search'),
      enterkeyhint: 'search',
      autocomplete: 'off',
    });
    const follow = make('button', { type: 'button', class: 'transcript-follow' }, say('transcript.follow'));
    this.#list = new SpokenList({ video, seek, follow, label: say('transcript') });
    this.#steps = [
      this.#tool('up', 'transcript.previous', () => this.#step(-1)),
      this.#tool('down', 'transcript.next', () => this.#step(1)),
    ];
    const close = this.#tool('cross', 'close', () => this.close());
    const head = make('div', { class: 'transcript-head' }, make('h2', {}, say('transcript')), this.#language, close);
    const search = make(
      'div',
      { class: 'transcript-search', role: 'search' },
      this.#search,
      this.#count,
      ...this.#steps,
    );
    this.#root = make(
      'section',
      { class: 'transcript', slot: 'dialog', 'aria-label': say('transcript'), noautohide: true },
      head,
      search,
      this.#note,
      this.#list.root,
      follow,
    );
    this.#root.hidden = true;
    frame.append(this.#root);
    this.#language.addEventListener('change', () => void this.#load(this.#language.value));
    this.#search.addEventListener('input', () => this.#find());
    this.#root.addEventListener('keydown', (event) => this.#press(event));
    button.setAttribute('aria-expanded', 'false');
    session.addEventListener('view', () => this.#take());
  }

  get isOpen(): boolean {
    return !this.#root.hidden;
  }

  open(): void {
    const { frame, button, shownLanguage } = this.#parts;
    this.#root.hidden = false;
    frame.toggleAttribute('transcript-open', true);
    button.setAttribute('aria-expanded', 'true');
    this.#take();
    const wanted = this.#captions.find(({ language }) => language === shownLanguage()) ?? this.#captions[0];
    if (wanted !== undefined && this.#shownUrl === null) void this.#load(wanted.url);
    this.#search.focus({ preventScroll: true });
    this.#list.follow();
  }

  close(): void {
    if (!this.isOpen) return;
    const { frame, button } = this.#parts;
    this.#root.hidden = true;
    frame.toggleAttribute('transcript-open', false);
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  }

  /** Reads the languages from the state and keeps the current one. */
  #take(): void {
    const { captions } = this.#parts.session.state.details;
    if (JSON.stringify(captions) === JSON.stringify(this.#captions)) return;
    this.#captions = captions;
    this.#language.replaceChildren(...captions.map(({ url, label, language }) => new Option(label || language, url)));
    this.#language.hidden = captions.length < 2;
    if (this.#shownUrl !== null) this.#language.value = this.#shownUrl;
  }

  async #load(url: string): Promise<void> {
    const { say } = this.#parts;
    this.#shownUrl = url;
    this.#language.value = url;
    this.#noteDown(say('loading'));
    const response = await fetch(url).catch(() => null);
    const text = response?.ok === true ? await response.text() : null;
    if (text === null) await response?.body?.cancel();
    // Another language may have been chosen in the meantime.
    if (this.#shownUrl !== url) return;
    if (text === null) this.#shownUrl = null;
    const spoken = spokenOf(readCues(text ?? ''));
    this.#noteDown(text === null ? say('transcript.away') : spoken.length === 0 ? say('transcript.empty') : '');
    const language = this.#captions.find((one) => one.url === url)?.language ?? '';
    this.#list.show(spoken, language);
    this.#find();
  }

  #noteDown(text: string): void {
    this.#note.textContent = text;
    this.#note.hidden = text === '';
  }

  #find(): void {
    const { say } = this.#parts;
    const isSearching = this.#search.value.trim() !== '';
    const count = this.#list.find(this.#search.value);
    this.#count.textContent = isSearching ? say('transcript.found', { count }) : '';
    for (const step of this.#steps) {
      step.hidden = !isSearching;
      step.disabled = count === 0;
    }
  }

  #step(direction: 1 | -1): void {
    const place = this.#list.step(direction);
    if (place !== null) this.#count.textContent = this.#parts.say('transcript.place', place);
  }

  /** Handles keys in the panel. They are not passed on, so that they do not seek the video. */
  #press(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') {
      if (this.#search.value === '') this.close();
      else {
        this.#search.value = '';
        this.#find();
        this.#search.focus();
      }
    } else if (event.target === this.#search && event.key === 'Enter') this.#step(event.shiftKey ? -1 : 1);
    else if (event.target === this.#search && event.key === 'ArrowDown') this.#list.focus();
    else return;
    event.preventDefault();
  }

  #tool(shape: Parameters<typeof icon>[0], word: string, run: () => void): HTMLButtonElement {
    const label = this.#parts.say(word);
    const button = make(
      'button',
      { type: 'button', class: 'transcript-tool', 'aria-label': label, title: label },
      icon(shape),
    );
    button.addEventListener('click', run);
    return button;
  }
}
