import Hls, { type ErrorData } from 'hls.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import { type Denial, denialOf } from './denial.ts';
import { hlsOptions, type Opening } from './hls-options.ts';
import { type Attempts, type Fault, NO_ATTEMPTS, recover } from './recovery.ts';
import { chooseStartLevel } from './start-level.ts';
import { coverWithFrame } from './veil.ts';

export type Quality = { heightPx: number; bitrateBps: number };
export type SoundTrack = { index: number; label: string; language: string };

const NOT_FOUND = [404, 410];

/**
 * Plays HLS in a video element through MSE, natively where there is no MSE. Events: `qualities` and `sounds` when
 * there are others to choose, `shown` when another rung is shown, `loaded` with each segment, `trouble` that may pass,
 * and `denied` when the viewer will not get to see it.
 */
export class Engine extends EventTarget {
  readonly #video: HTMLVideoElement;
  #hls: Hls | null = null;
  #source: PlayerSource | null = null;
  #opening: Opening = { startSec: 0, loadsAtOnce: true, isLive: false, lineBps: null };
  #attempts: Attempts = NO_ATTEMPTS;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #wantedHeightPx: number | null = null;
  #wantedSound: string | null = null;
  #denial: Denial | null = null;
  #lastFault: string | null = null;

  constructor(video: HTMLVideoElement) {
    super();
    this.#video = video;
  }

  /** Loads a playlist; an opening that does not load at once waits for `fetchNow`. */
  open(source: PlayerSource, opening: Opening): void {
    this.close();
    this.#source = source;
    this.#opening = opening;
    if (Hls.isSupported()) this.#openHls(source);
    else this.#openNatively(source);
  }

  /** Begins to fetch, where `open` was called to wait. */
  fetchNow(): void {
    if (this.#hls === null) this.#video.preload = 'auto';
    else if (!this.#hls.loadingEnabled) this.#hls.startLoad(this.#hls.config.startPosition);
  }

  /** Reads a playlist anew at the place that is being watched: an open player never rereads its list of rungs. */
  reload(source: PlayerSource, atSec: number = this.#video.currentTime): void {
    const { paused } = this.#video;
    coverWithFrame(this.#video);
    const lineBps = this.lineBps ?? this.#opening.lineBps;
    this.open(source, { ...this.#opening, startSec: atSec, loadsAtOnce: true, lineBps });
    if (!paused) this.#video.addEventListener('loadeddata', () => void this.#video.play(), { once: true });
  }

  /** Tries at once what waits to be tried again: the line is back, or the machine woke up. */
  retryNow(): void {
    if (this.#retrying !== undefined && this.#source !== null) this.reload(this.#source);
    else if (this.#video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#hls?.startLoad(-1);
  }

  close(): void {
    clearTimeout(this.#retrying);
    this.#retrying = undefined;
    this.#hls?.destroy();
    this.#hls = null;
  }

  /** What the line brings, as far as it was measured. */
  get lineBps(): number | null {
    const estimate = this.#hls?.bandwidthEstimate ?? Number.NaN;
    return Number.isFinite(estimate) && this.#attempts.retries === 0 ? estimate : null;
  }

  get denial(): Denial | null {
    return this.#denial;
  }

  get lastFault(): string | null {
    return this.#lastFault;
  }

  /** Rungs by height, highest first. */
  get qualities(): Quality[] {
    const levels = this.#hls?.levels ?? [];
    const byHeight = new Map(levels.map(({ height, bitrate }) => [height, { heightPx: height, bitrateBps: bitrate }]));
    return [...byHeight.values()].filter(({ heightPx }) => heightPx > 0).sort((a, b) => b.heightPx - a.heightPx);
  }

  get shown(): Quality | null {
    const level = this.#hls?.levels[this.#hls.currentLevel];
    return level === undefined ? null : { heightPx: level.height, bitrateBps: level.bitrate };
  }

  /** The height that the viewer chose; null while it is chosen by the speed of the line. */
  get wantedHeightPx(): number | null {
    return this.#wantedHeightPx;
  }

  /** Holds on to a height, or null to choose by the speed of the line again. */
  choose(heightPx: number | null): void {
    this.#wantedHeightPx = heightPx;
    this.#applyHeight((index) => {
      if (this.#hls === null) return;
      // Past the end there is no next segment to begin with: what was fetched would be shown again as it is.
      if (this.#video.ended) this.#hls.currentLevel = index;
      else this.#hls.nextLevel = index;
    });
    this.#report('qualities');
  }

  get sounds(): SoundTrack[] {
    const tracks = this.#hls?.audioTracks ?? [];
    return tracks.map(({ name, lang }, index) => ({ index, label: name, language: lang ?? '' }));
  }

  get soundIndex(): number {
    return this.#hls?.audioTrack ?? -1;
  }

  chooseSound(index: number): void {
    if (this.#hls === null) return;
    this.#hls.audioTrack = index;
    this.#wantedSound = this.#hls.audioTracks[index]?.name ?? null;
    this.#report('sounds');
  }

  /** How far playback is behind a live stream's newest second; null for what is not live. */
  get latencySec(): number | null {
    const { seekable, currentTime } = this.#video;
    if (!this.#opening.isLive || seekable.length === 0) return null;
    return Math.max(0, seekable.end(seekable.length - 1) - currentTime);
  }

  /** Goes on at a live stream's newest second. */
  goLive(): void {
    const { seekable } = this.#video;
    const target = this.#hls?.liveSyncPosition ?? (seekable.length > 0 ? seekable.end(seekable.length - 1) : null);
    if (target !== null) this.#video.currentTime = target;
  }

  #openHls(source: PlayerSource): void {
    const hls = new Hls(hlsOptions(source, this.#opening));
    this.#hls = hls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      const rates = hls.levels.map(({ bitrate }) => bitrate);
      hls.startLevel = chooseStartLevel(rates, this.#opening.lineBps);
      this.#applyHeight((index) => {
        if (index === -1) return;
        hls.startLevel = index;
        hls.loadLevel = index;
      });
      this.#report('qualities');
    });
    hls.on(Hls.Events.AUDIO_TRACKS_UPDATED, (_, { audioTracks }) => {
      const index = audioTracks.findIndex(({ name }) => name === this.#wantedSound);
      if (index !== -1) hls.audioTrack = index;
      this.#report('sounds');
    });
    hls.on(Hls.Events.AUDIO_TRACK_SWITCHED, () => this.#report('sounds'));
    hls.on(Hls.Events.LEVEL_SWITCHED, () => {
      this.#report('shown');
      this.#report('qualities');
    });
    hls.on(Hls.Events.FRAG_BUFFERED, () => {
      this.#attempts = { ...this.#attempts, retries: 0 };
      this.#report('loaded');
    });
    hls.on(Hls.Events.ERROR, (_, data) => this.#recover(hls, data));
    hls.loadSource(source.playlistUrl);
    hls.attachMedia(this.#video);
  }

  #openNatively({ playlistUrl }: PlayerSource): void {
    const { startSec, loadsAtOnce } = this.#opening;
    this.#video.preload = loadsAtOnce ? 'auto' : 'none';
    this.#video.src = startSec > 0 ? `${playlistUrl}#t=${startSec}` : playlistUrl;
    this.#video.addEventListener('loadeddata', () => this.#report('loaded'), { once: true });
  }

  #applyHeight(apply: (index: number) => void): void {
    const wanted = this.#wantedHeightPx;
    const index = wanted === null ? -1 : (this.#hls?.levels.findIndex(({ height }) => height === wanted) ?? -1);
    if (wanted === null || index !== -1) apply(index);
  }

  #recover(hls: Hls, data: ErrorData): void {
    if (hls !== this.#hls) return;
    this.#denial = denialOf(data);
    if (this.#denial === null && !data.fatal) return;
    this.#lastFault = data.details;
    if (this.#denial !== null) {
      this.close();
      this.#report('denied');
      return;
    }
    const { recovery, attempts } = recover(faultOf(data), this.#attempts, performance.now());
    this.#attempts = attempts;
    if (recovery.kind === 'reset-media') {
      hls.recoverMediaError();
      return;
    }
    this.#report('trouble');
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => {
      if (this.#source !== null) this.reload(this.#source, recovery.atSec ?? undefined);
    }, recovery.afterMs);
  }

  #report(name: 'qualities' | 'sounds' | 'shown' | 'loaded' | 'trouble' | 'denied'): void {
    this.dispatchEvent(new Event(name));
  }
}

function faultOf({ type, response, frag }: ErrorData): Fault {
  const isMissing = frag !== undefined && NOT_FOUND.includes(response?.code ?? 0);
  return {
    isOfMedia: type === Hls.ErrorTypes.MEDIA_ERROR,
    missing: isMissing ? { startSec: frag.start, endSec: frag.end } : null,
  };
}
