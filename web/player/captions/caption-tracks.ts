import type { PlayerDetails } from '../../../src/delivery/player/player-state.ts';
import type { Memory } from '../base/memory.ts';
import type { StartOptions } from '../base/start-options.ts';
import { captionTracks, shownTrack, showTrack } from './captions-display.ts';

const KEPT = 'captions-language';
const OFF = 'off';

/**
 * Keeps the video's tracks in sync with the state, and chooses one: the track given in the page's URL, or else the one
 * that the viewer chose last time. The captions button turns on the `preferred` track.
 */
export class CaptionTracks {
  readonly #video: HTMLVideoElement;
  readonly #memory: Memory;
  #asked: StartOptions['captions'];
  readonly #elements = new Map<string, HTMLTrackElement>();

  constructor(video: HTMLVideoElement, memory: Memory, asked: StartOptions['captions']) {
    this.#video = video;
    this.#memory = memory;
    this.#asked = asked;
  }

  show(captions: PlayerDetails['captions']): void {
    const wanted = new Set(captions.map(({ url }) => url));
    for (const [url, element] of this.#elements) {
      if (wanted.has(url)) continue;
      element.remove();
      this.#elements.delete(url);
    }
    for (const { language, label, url } of captions) {
      if (this.#elements.has(url)) continue;
      const element = document.createElement('track');
      Object.assign(element, { kind: 'subtitles', srclang: language, label, src: url });
      this.#video.append(element);
      this.#elements.set(url, element);
    }
    this.#choose();
  }

  get all(): TextTrack[] {
    return captionTracks(this.#video.textTracks);
  }

  get shown(): TextTrack | null {
    return shownTrack(this.#video.textTracks);
  }

  select(track: TextTrack | null): void {
    this.#asked = null;
    this.#memory.keep(KEPT, track?.language ?? OFF);
    showTrack(this.#video.textTracks, track);
  }

  toggle(): void {
    this.select(this.shown === null ? this.#preferred() : null);
  }

  #choose(): void {
    if (this.shown !== null || this.all.length === 0) return;
    const kept = this.#memory.readText(KEPT);
    const isShown = this.#asked === null ? kept !== null && kept !== OFF : this.#asked.isShown;
    if (!isShown) return;
    const language = this.#asked?.language ?? kept ?? '';
    const track = this.#find(language);
    if (track !== null) showTrack(this.#video.textTracks, track);
  }

  #preferred(): TextTrack | null {
    const kept = this.#memory.readText(KEPT);
    const languages = [this.#asked?.language, kept === OFF ? null : kept, ...navigator.languages];
    for (const language of languages) {
      const track = language ? this.#find(language) : null;
      if (track !== null) return track;
    }
    return this.all[0] ?? null;
  }

  #find(language: string): TextTrack | null {
    const wanted = language.toLowerCase();
    const base = wanted.split('-', 1)[0];
    const { all } = this;
    const exact = all.find((track) => track.language.toLowerCase() === wanted);
    return exact ?? all.find((track) => track.language.toLowerCase().split('-', 1)[0] === base) ?? null;
  }
}
