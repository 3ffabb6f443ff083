import { attachShadow, make } from '../base/dom.ts';
import type { ControlParts } from '../parts.ts';

const STYLE = `
:host { position: absolute; inset: 0; display: block; pointer-events: none; }
img { width: 100%; height: 100%; object-fit: contain; opacity: 0; transition: opacity .3s; }
img.loaded { opacity: 1; }
.waveform { position: absolute; inset: 8% 6% auto; width: 88%; height: 28%; object-fit: fill; }
.waveform:not([src]) { display: none; }
:host([audio-only]) .loaded:not(.waveform) {
  position: absolute; inset: 5% 10% auto; width: 80%; height: calc(70% - 72px); filter: drop-shadow(0 8px 28px #0008);
}
:host([audio-only]) .loaded + .waveform { inset: auto 6% 84px; height: calc(25% - 24px); }
@media (max-height: 239px) {
  :host([audio-only]) .loaded:not(.waveform) { inset: 4% 10% auto; height: calc(96% - 64px); }
  :host([audio-only]) .loaded + .waveform { display: none; }
}
@media (prefers-reduced-motion: reduce) { img { transition: none; } }
`;

/**
 * Element that shows the poster, and the waveform of audio-only media below it or alone. Both are fetched with the
 * lowest priority. The poster fades in over its blurred colours.
 */
class PosterImage extends HTMLElement {
  readonly #image = make('img', { alt: '', part: 'img', fetchpriority: 'low', decoding: 'async' });
  readonly #waveform = make('img', { alt: '', class: 'waveform', fetchpriority: 'low', decoding: 'async' });

  constructor() {
    super();
    attachShadow(this, STYLE, this.#image, this.#waveform);
    for (const image of [this.#image, this.#waveform]) {
      image.addEventListener('load', () => image.classList.add('loaded'));
    }
  }

  show(url: string | null): void {
    load(this.#image, url);
  }

  showWaveform(url: string | null): void {
    load(this.#waveform, url);
  }
}

function load(image: HTMLImageElement, url: string | null): void {
  if (url !== null && image.getAttribute('src') !== url) image.src = url;
}

customElements.define('bunny-poster-image', PosterImage);

/** Shows the poster until playback has begun, or always for audio-only media. */
export function mountPosterImage({ frame, video, session }: ControlParts): void {
  const poster = new PosterImage();
  poster.slot = 'poster';
  frame.append(poster);
  const draw = () => {
    const { posterUrl, source, details } = session.state;
    const isAudioOnly = source !== null && !source.hasPicture;
    for (const one of [frame, poster]) one.toggleAttribute('audio-only', isAudioOnly);
    frame.toggleAttribute('has-poster', posterUrl !== null);
    // Do not fetch a poster that the video is about to cover.
    if (isAudioOnly || video.paused) poster.show(posterUrl);
    if (isAudioOnly) poster.showWaveform(details.waveformUrl);
  };
  session.addEventListener('view', draw);
  draw();
}
