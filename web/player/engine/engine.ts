import Hls, { type ErrorData } from 'hls.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import { coverWithFrame } from './cover-with-frame.ts';
import { type Denial, denialOf } from './denial.ts';
import { endBefore, endBeforeLast, endHere, endWithLast } from './end-here.ts';
import { faultOf, staysMissing } from './fault-of.ts';
import { fetchingSec } from './fetching.ts';
import { followLine } from './follow-line.ts';
import { hlsOptions, type Opening, UNOPENED } from './hls-options.ts';
import { behindSec, latencySec, liveSec, sequenceAt } from './live-place.ts';
import { openNatively } from './open-natively.ts';
import { whenPlayedOut } from './played-out.ts';
import { type Attempts, type Fault, NO_ATTEMPTS, placeAfter, recover, resumeAt } from './recovery.ts';
import { resetWithinSegment } from './reset-within-segment.ts';
import { RungSwitch } from './rung-switch.ts';
import type { ShakaEngine, ShakaListener } from './shaka-engine.ts';
import { type AudioTrack, audioOf, byHeight, findAudio, type Quality, toQuality } from './tracks.ts';

/** Constant that the bundler sets, so that the bundle for unprotected videos contains no code for key systems. */
declare const __PLAYS_PROTECTED__: boolean;
const importShaka = __PLAYS_PROTECTED__ ? () => import('./shaka-engine.ts') : null;

type Report = 'qualities' | 'audiotracks' | 'switching' | 'shown' | 'loaded' | 'trouble' | 'denied';

/**
 * Plays HLS in a video element through MSE, or natively without MSE. For protected videos that this browser cannot play
 * with hls.js, Shaka Player is fetched and used. Events: `qualities` and `audiotracks` when the choices change, `shown`
 * when the rung changes, `switching` when a switch to a chosen rung begins and ends, `loaded` with each segment,
 * `trouble` for temporary faults, `denied` for permanent ones.
 */
export class Engine extends EventTarget {
  readonly #video: HTMLVideoElement;
  #hls: Hls | null = null;
  #shaka: ShakaEngine | null = null;
  #needsShaka = false;
  #closeNative: (() => void) | null = null;
  #source: PlayerSource | null = null;
  #opening = UNOPENED;
  #attempts: Attempts = NO_ATTEMPTS;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #brokenLastSec: number | null = null;
  #wantedAudio: AudioTrack | null = null;
  readonly #rung = new RungSwitch(() => this.#report('switching'));
  #denial: Denial | null = null;
  #lastFault: string | null = null;

  constructor(video: HTMLVideoElement) {
    super();
    this.#video = video;
  }

  /** Opens a source. Loads its playlist immediately, or after `fetchNow`, depending on `opening`. */
  open(source: PlayerSource, opening: Opening): void {
    this.close();
    if (source !== this.#source) this.#brokenLastSec = null;
    this.#source = source;
    this.#opening = opening;
    if (importShaka !== null && source.drm !== null && (this.#needsShaka || !Hls.isSupported()))
      void this.#openShaka(source, importShaka);
    else if (Hls.isSupported()) this.#openHls(source);
    else this.#closeNative = openNatively(this.#video, source, opening, (name) => this.#report(name));
  }

  /** Starts fetching, if `open` postponed it. */
  fetchNow(): void {
    if (this.#hls === null) this.#video.preload = 'auto';
    else if (this.#source !== null && this.#hls.url === null) this.#hls.loadSource(this.#source.playlistUrl);
  }

  /** Adds new rungs of a source by reading its multivariant playlist again. Keeps buffered media. */
  update(source: PlayerSource): void {
    const isClear = !this.#opening.isLive && source.drm === null && this.#source?.drm === null;
    const keeps = isClear && this.#retrying === undefined && this.#video.readyState > 0;
    const media = keeps ? this.#hls?.transferMedia() : null;
    if (!media) this.#reload(null, source);
    else this.open(source, { ...this.#opening, ...this.#resumed(this.#video.currentTime), media });
  }

  /** Runs a pending retry immediately, because the connection is back or the machine woke up. */
  retryNow(): void {
    if (this.#retrying !== undefined) this.#reload();
    else if (this.#video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) this.#hls?.startLoad(-1);
  }

  close(): void {
    clearTimeout(this.#retrying);
    this.#retrying = undefined;
    this.#rung.close();
    this.#hls?.destroy();
    this.#hls = null;
    void this.#shaka?.close();
    this.#shaka = null;
    this.#closeNative?.();
    this.#closeNative = null;
  }

  /** Measured bandwidth of the connection, in bits per second. Null if it is unknown. */
  get lineBps(): number | null {
    const estimate = this.#hls?.bandwidthEstimate ?? Number.NaN;
    return Number.isFinite(estimate) && this.#attempts.retries === 0 ? estimate : null;
  }

  /** Start of the media that is being fetched, in seconds. Null if nothing is being fetched. */
  get fetchingSec(): number | null {
    return this.#hls && fetchingSec(this.#hls);
  }

  get denial(): Denial | null {
    return this.#denial;
  }

  get lastFault(): string | null {
    return this.#lastFault;
  }

  /** Rungs by height, highest first. */
  get qualities(): Quality[] {
    return byHeight(this.#shaka?.rungs ?? this.#hls?.levels.map(toQuality) ?? []);
  }

  get shown(): Quality | null {
    const level = this.#hls?.levels[this.#hls.currentLevel];
    return this.#shaka?.shown ?? (level === undefined ? null : toQuality(level));
  }

  /** The height that the viewer chose. Null for automatic selection by bandwidth. */
  get wantedHeightPx(): number | null {
    return this.#rung.wantedHeightPx;
  }

  /** Selects a fixed height, or automatic selection if null. */
  choose(heightPx: number | null): void {
    this.#shaka?.choose(heightPx);
    void this.#rung.choose(this.#hls, this.#video, heightPx);
    this.#report('qualities');
  }

  /** Whether the chosen height is not shown yet. */
  get isSwitching(): boolean {
    return this.#rung.isOn;
  }

  get audioTracks(): AudioTrack[] {
    return this.#shaka?.audioTracks ?? audioOf(this.#hls).tracks;
  }

  get audioIndex(): number {
    return this.#shaka?.audioIndex ?? audioOf(this.#hls).index;
  }

  chooseAudio(index: number): void {
    this.#shaka?.chooseAudio(index);
    if (this.#hls === null) return;
    this.#hls.audioTrack = index;
    this.#wantedAudio = this.audioTracks.find((track) => track.index === index) ?? null;
    this.#report('audiotracks');
  }

  /** Delay behind a live stream's live edge. Null if not live. */
  get latencySec(): number | null {
    return this.#opening.isLive ? latencySec(this.#video) : null;
  }

  /** Delay behind this player's normal position in a live stream, in seconds. Null if not live. */
  get behindSec(): number | null {
    return this.#opening.isLive || this.#hls !== null ? behindSec(this.#hls, this.#video) : null;
  }

  get isBehindExact(): boolean {
    return this.#hls !== null;
  }

  /** Returns the media sequence number of the segment at a time, or null if no playlist contains it. */
  sequenceAt(sec: number): number | null {
    return sequenceAt(this.#hls, sec);
  }

  /** Seeks to the live edge of a live stream. */
  goLive(): void {
    const targetSec = liveSec(this.#hls, this.#video);
    if (targetSec !== null) this.#video.currentTime = targetSec;
  }

  /** Ends a video at the end of its loaded media, if only its last segment follows and no retry is pending. */
  endBeforeLast(sec: number): void {
    if (this.#retrying === undefined) endBeforeLast(this.#hls, this.#video, sec);
  }

  #openHls(source: PlayerSource): void {
    const hls = new Hls(hlsOptions(source, this.#opening));
    this.#hls = hls;
    followLine(hls, this.#video, this.#opening);
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      this.#rung.startWith(hls);
      this.#report('qualities');
    });
    hls.on(Hls.Events.AUDIO_TRACKS_UPDATED, (_, { audioTracks }) => {
      const found = findAudio(audioTracks, this.#wantedAudio);
      if (found !== undefined) hls.audioTrack = found.index;
      this.#report('audiotracks');
    });
    hls.on(Hls.Events.AUDIO_TRACK_SWITCHED, () => this.#report('audiotracks'));
    hls.on(Hls.Events.LEVEL_SWITCHED, () => this.#report('shown', 'qualities'));
    hls.on(Hls.Events.FRAG_BUFFERED, () => this.#noteLoaded());
    hls.on(Hls.Events.ERROR, (_, data) => this.#recover(hls, data));
    endWithLast(hls, this.#video);
    resetWithinSegment(hls);
    if (this.#brokenLastSec !== null) endBefore(hls, this.#video, this.#brokenLastSec);
    if (this.#opening.loadsAtOnce) hls.loadSource(source.playlistUrl);
    hls.attachMedia(this.#opening.media ?? this.#video);
  }

  async #openShaka(source: PlayerSource, load: NonNullable<typeof importShaka>): Promise<void> {
    this.#needsShaka = true;
    const { ShakaEngine: Shaka } = await load();
    if (!this.#opening.loadsAtOnce && this.#video.paused)
      await new Promise((resolve) => this.#video.addEventListener('play', resolve, { once: true }));
    // Another source may have been opened in the meantime.
    if (source !== this.#source || this.#shaka !== null) return;
    const listener: ShakaListener = {
      changed: () => this.#report('qualities', 'audiotracks'),
      shown: () => this.#report('shown'),
      stopped: ({ code, denial }) => this.#stop(code, denial, { kind: 'line', segment: null }),
    };
    this.#shaka = new Shaka(listener);
    this.#video.addEventListener('loadeddata', () => this.#noteLoaded(), { once: true });
    await this.#shaka.open(this.#video, source, this.#opening);
  }

  #noteLoaded(): void {
    this.#attempts = { ...this.#attempts, retries: 0 };
    this.#report('loaded');
  }

  #recover(hls: Hls, data: ErrorData): void {
    if (hls !== this.#hls) return;
    const denial = denialOf(data);
    if (denial === null && !data.fatal && (this.#opening.isLive || !staysMissing(data))) return;
    if (importShaka !== null && denial === 'denied.browser' && this.#source !== null) {
      this.close();
      return void this.#openShaka(this.#source, importShaka);
    }
    this.#stop(data.details, denial, faultOf(hls, data, this.#video.currentTime));
  }

  /** Handles a fault that stopped playback, which resumes later unless the video is denied to the viewer. */
  #stop(code: string, denial: Denial | null, fault: Fault): void {
    this.#denial = denial;
    this.#lastFault = code;
    if (denial !== null) {
      this.close();
      this.#report('denied');
      return;
    }
    const { recovery, attempts } = recover(fault, this.#attempts, performance.now());
    this.#attempts = attempts;
    if (recovery.kind === 'reset-media') {
      this.#hls?.recoverMediaError();
      return;
    }
    clearTimeout(this.#retrying);
    if (recovery.kind === 'play-out') {
      const { over, afterMs } = recovery;
      const sec = () => resumeAt(this.#video, { openedAtSec: this.#opening.startSec, latencySec: null });
      this.#hls?.stopLoad();
      if (afterMs > 0) this.#report('trouble');
      this.#retrying = whenPlayedOut(this.#video, afterMs, () => this.#reload(over && placeAfter(over, sec())));
      return;
    }
    if (recovery.kind === 'end') this.#brokenLastSec = recovery.brokenSec;
    const isShown = recovery.kind === 'end' && recovery.brokenSec === null && this.#video.buffered.length > 0;
    if (isShown && this.#hls !== null) endHere(this.#hls, this.#video);
    else {
      this.#report('trouble');
      const atSec = recovery.kind === 'end' ? recovery.fromSec : null;
      this.#retrying = setTimeout(() => this.#reload(atSec), recovery.afterMs);
    }
  }

  /** Reads the playlist again and continues at `atSec`, or at the current position if null. */
  #reload(atSec: number | null = null, source = this.#source): void {
    if (source === null) return;
    coverWithFrame(this.#video);
    const { startSec: openedAtSec } = this.#opening;
    const startSec = atSec ?? resumeAt(this.#video, { openedAtSec, latencySec: this.latencySec });
    this.open(source, { ...this.#opening, ...this.#resumed(startSec) });
  }

  #resumed(startSec: number): Omit<Opening, 'isLive'> {
    const [{ readLine, buffersPaused: buffers }, bps] = [this.#opening, this.lineBps];
    const readNow = () => ({ ...readLine(), ...(bps !== null && { bps }) });
    const buffersPaused = buffers || !this.#video.paused || this.#video.played.length > 0;
    // If the playlist has not been loaded yet, keep waiting for `fetchNow`.
    return { startSec, loadsAtOnce: this.#hls?.url !== null, buffersPaused, media: null, readLine: readNow };
  }

  #report(...names: Report[]): void {
    for (const name of names) this.dispatchEvent(new Event(name));
  }
}
