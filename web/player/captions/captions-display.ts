import { attachShadow, listen, make } from '../base/dom.ts';

const STYLE = `
:host {
  position: absolute; inset-inline: 5%; bottom: 0; display: flex; flex-direction: column; align-items: center; gap: 4px;
  padding-bottom: max(4vh, 8px); text-align: center; pointer-events: none; line-height: 1.35;
  transition: transform .25s ease;
}
.display { display: flex; flex-direction: column; align-items: center; gap: 4px; max-width: 100%; }
.cue {
  padding: .1em .45em; border-radius: .25em; white-space: pre-line; text-wrap: balance;
  color: var(--captions-text-color, #fff); background: var(--captions-background, rgb(0 0 0 / .72));
  font-size: calc(clamp(.62, 100vw / 900px, 1.6) * var(--captions-font-size, 20px));
  font-family: var(--captions-font-family, inherit); text-shadow: var(--captions-text-shadow, none);
}
@supports not (width: calc(1px * clamp(.62, 100vw / 900px, 1.6))) {
  .cue { font-size: clamp(12px, calc(var(--captions-font-size, 20px) * .35 + 1.5vw), 40px); }
}
@media (prefers-reduced-motion: reduce) { :host { transition: none; } }
`;

/**
 * Draws the enabled captions above the controls in the viewer's own style. The page's style sheet hides the browser's
 * own captions. The tracks themselves stay unchanged, because players outside the page (AirPlay, full screen on
 * iPhones) use them.
 */
export class CaptionsDisplay extends HTMLElement {
  readonly #display = make('div', { class: 'display', part: 'cue-display' });
  #stop: () => void = () => undefined;

  constructor() {
    super();
    attachShadow(this, STYLE, this.#display);
  }

  use(video: HTMLVideoElement): void {
    const { textTracks } = video;
    const follow = () => {
      this.#stop();
      const shown = shownTrack(textTracks);
      this.#stop = shown === null ? () => undefined : listen(shown, ['cuechange'], () => this.#draw(shown));
      this.#draw(shown);
    };
    listen(textTracks, ['change', 'addtrack', 'removetrack'], follow);
    follow();
  }

  #draw(track: TextTrack | null): void {
    const cues = [...(track?.activeCues ?? [])].filter((cue) => cue instanceof VTTCue);
    this.#display.replaceChildren(
      ...cues.map((cue) => {
        const line = make('span', { class: 'cue', part: 'cue', lang: track?.language ?? '', dir: 'auto' });
        line.append(cue.getCueAsHTML());
        return line;
      }),
    );
  }
}

export function captionTracks(textTracks: TextTrackList): TextTrack[] {
  return [...textTracks].filter(({ kind }) => kind === 'subtitles' || kind === 'captions');
}

export function shownTrack(textTracks: TextTrackList): TextTrack | null {
  return captionTracks(textTracks).find(({ mode }) => mode === 'showing') ?? null;
}

export function showTrack(textTracks: TextTrackList, wanted: TextTrack | null): void {
  for (const track of captionTracks(textTracks)) track.mode = track === wanted ? 'showing' : 'disabled';
}

customElements.define('bunny-captions-display', CaptionsDisplay);
