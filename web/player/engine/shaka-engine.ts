import * as shakaModule from 'shaka-player/dist/shaka-player.dash-es2021.js';
import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Denial } from './denial.ts';
import type { Opening } from './hls-options.ts';
import type { AudioTrack, Quality } from './tracks.ts';

/** The part of Shaka's API that this module uses (https://shaka-player-demo.appspot.com/docs/api). */
type ShakaTrack = { active: boolean; language: string; label: string | null; channelsCount: number | null };
type Variant = Omit<ShakaTrack, 'label'> & { bandwidth: number; height: number | null; frameRate: number | null };
type ShakaError = { severity: number; category: number; code: number; data: readonly unknown[] };
type ShakaPlayer = EventTarget & {
  attach(video: HTMLVideoElement): Promise<void>;
  configure(settings: object): boolean;
  load(address: string, startSec: number | null): Promise<void>;
  destroy(): Promise<void>;
  getVariantTracks(): Variant[];
  getAudioTracks(): ShakaTrack[];
  selectVariantTrack(track: Variant, clearsBuffer: boolean): void;
  selectAudioTrack(track: ShakaTrack): void;
};
type Shaka = { polyfill: { installAll(): void }; Player: new () => ShakaPlayer };

// Shaka's bundle is not an ES module, unlike its types: the default export in the types is the namespace itself.
const shaka = shakaModule.default as unknown as Shaka;
const CRITICAL = 2;
const OF_DRM = 6;
const LICENCE_REQUEST_FAILED = 6007;

/** Receives changes, and the reason why playback stopped (with a denial if a retry is useless). */
export type ShakaListener = {
  changed(): void;
  shown(): void;
  stopped(fault: { code: string; denial: Denial | null }): void;
};

/**
 * Plays with Shaka the media that hls.js cannot play: protected videos in browsers without the key systems of hls.js or
 * without MSE. Uses DASH with MSE, or else the native HLS of the browser with licences requested by Shaka.
 */
export class ShakaEngine {
  readonly #player = new shaka.Player();
  readonly #listener: ShakaListener;
  #isClosed = false;

  constructor(listener: ShakaListener) {
    shaka.polyfill.installAll();
    this.#listener = listener;
    this.#player.addEventListener('error', (event) => this.#stop(Reflect.get(event, 'detail')));
    for (const name of ['adaptation', 'variantchanged']) this.#player.addEventListener(name, () => listener.shown());
    for (const name of ['trackschanged', 'audiotrackschanged', 'audiotrackchanged'])
      this.#player.addEventListener(name, () => listener.changed());
  }

  async open(video: HTMLVideoElement, source: PlayerSource, { startSec }: Opening): Promise<void> {
    const { drm, manifestUrl, playlistUrl } = source;
    const address = manifestUrl === null || !('MediaSource' in window) ? playlistUrl : manifestUrl;
    try {
      await this.#player.attach(video);
      this.#player.configure({ drm: drmSettings(drm), streaming: { bufferBehind: 60 } });
      await this.#player.load(new URL(address, location.href).href, startSec > 0 ? startSec : null);
    } catch (error) {
      this.#stop(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#player.destroy();
  }

  /** Unsorted rungs. If there are several audio tracks, there are several entries per height. */
  get rungs(): Quality[] {
    return this.#player.getVariantTracks().map(toQuality);
  }

  get shown(): Quality | null {
    const active = this.#active;
    return active === undefined ? null : toQuality(active);
  }

  choose(heightPx: number | null): void {
    const found = this.#player
      .getVariantTracks()
      .toSorted((a, b) => b.bandwidth - a.bandwidth)
      .find(({ height, language, channelsCount }) => {
        const { language: heard = language, channelsCount: channels = channelsCount } = this.#active ?? {};
        return height === heightPx && language === heard && channelsCount === channels;
      });
    this.#player.configure({ abr: { enabled: found === undefined } });
    if (found !== undefined) this.#player.selectVariantTrack(found, false);
  }

  get audioTracks(): AudioTrack[] {
    const tracks = this.#player.getAudioTracks();
    return tracks.map(({ label, language, channelsCount: channels }, index) => {
      return { index, label: label ?? '', language, channels };
    });
  }

  get audioIndex(): number {
    return this.#player.getAudioTracks().findIndex(({ active }) => active);
  }

  chooseAudio(index: number): void {
    const track = this.#player.getAudioTracks()[index];
    if (track !== undefined) this.#player.selectAudioTrack(track);
  }

  get #active(): Variant | undefined {
    return this.#player.getVariantTracks().find(({ active }) => active);
  }

  #stop(error: unknown): void {
    if (!isShakaError(error)) throw error;
    if (this.#isClosed || error.severity !== CRITICAL) return;
    this.#listener.stopped({ code: `shaka-${error.code}`, denial: denialOf(error) });
  }
}

function toQuality({ height, bandwidth, frameRate }: Variant): Quality {
  return { heightPx: height ?? 0, bitrateBps: bandwidth, frameRateHz: frameRate ?? 0 };
}

function drmSettings(drm: PlayerSource['drm']): object {
  if (drm === null) return {};
  const certificate = { 'com.apple.fps': { serverCertificateUri: drm.certificateUrl } };
  return { servers: drm.licenceUrls, ...(drm.certificateUrl === null ? {} : { advanced: certificate }) };
}

/** Returns whether an error is an error of Shaka. Any other error is a bug in this player. */
function isShakaError(error: unknown): error is ShakaError {
  return typeof error === 'object' && error !== null && 'category' in error && 'severity' in error;
}

/**
 * Returns the denial if the licence server refused the request, or if the browser has none of the video's key systems.
 * Returns null if a retry may help.
 */
function denialOf({ category, code, data }: ShakaError): Denial | null {
  if (category !== OF_DRM) return null;
  if (code !== LICENCE_REQUEST_FAILED) return window.isSecureContext ? 'denied.browser' : 'denied.insecure';
  const [cause] = data;
  const [, status] = isShakaError(cause) ? cause.data : [];
  return status === 403 ? 'denied.keys' : null;
}
