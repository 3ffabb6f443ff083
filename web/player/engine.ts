import Hls, { type DRMSystemsConfiguration, type ErrorData, type HlsConfig } from 'hls.js';

const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;

/** What to play: a playlist, and where each key system of the browser gets its licences, FairPlay its certificate. */
export type EngineSource = {
  address: string;
  licenceUrls: Readonly<Record<string, string>>;
  certificateUrl: string | null;
};

export type Quality = { index: number; heightPx: number; bitrateBps: number };

/**
 * Plays HLS in a video element through MSE, natively where there is no MSE. Tells of `qualities`, of `trouble` that
 * may pass, and, with the words for it, when the viewer is `denied`.
 */
export class Engine extends EventTarget {
  readonly #video: HTMLVideoElement;
  #hls: Hls | null = null;
  #source: EngineSource = { address: '', licenceUrls: {}, certificateUrl: null };
  #retryMs = FIRST_RETRY_MS;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #wishedHeightPx: number | null = null;

  constructor(video: HTMLVideoElement) {
    super();
    this.#video = video;
  }

  /** Loads a playlist and begins at `startSec`; `loadsAtOnce` false waits for `fetchNow`. */
  open(source: EngineSource, startSec: number, loadsAtOnce: boolean): void {
    this.close();
    this.#source = source;
    if (Hls.isSupported()) this.#openHls(startSec, loadsAtOnce);
    else this.#openNatively(startSec, loadsAtOnce);
  }

  /** Begins to fetch, where `open` was told to wait. */
  fetchNow(): void {
    if (this.#hls === null) this.#video.preload = 'auto';
    else if (!this.#hls.loadingEnabled) this.#hls.startLoad(this.#hls.config.startPosition);
  }

  /** Reads the playlist anew at the place that is being watched: an open player never rereads its list of rungs. */
  reload(source: EngineSource): void {
    const { currentTime, paused } = this.#video;
    const veil = coverWithFrame(this.#video);
    const uncover = () => veil?.remove();
    this.#video.addEventListener('seeked', uncover, { once: true });
    this.#video.addEventListener('playing', uncover, { once: true });
    setTimeout(uncover, LONGEST_RETRY_MS);
    this.open(source, currentTime, true);
    if (!paused) this.#video.addEventListener('loadeddata', () => void this.#video.play(), { once: true });
  }

  close(): void {
    clearTimeout(this.#retrying);
    this.#hls?.destroy();
    this.#hls = null;
  }

  get qualities(): Quality[] {
    const levels = this.#hls?.levels ?? [];
    return levels.map(({ height, bitrate }, index) => ({ index, heightPx: height, bitrateBps: bitrate }));
  }

  /** The height that the viewer chose; null while it is chosen by the speed of the line. */
  get wishedHeightPx(): number | null {
    return this.#wishedHeightPx;
  }

  get shownHeightPx(): number | null {
    const hls = this.#hls;
    return hls?.levels[hls.currentLevel]?.height ?? null;
  }

  /** Holds on to a height, or null to choose by the speed of the line again. */
  wish(heightPx: number | null): void {
    this.#wishedHeightPx = heightPx;
    this.#applyWish((index) => {
      if (this.#hls === null) return;
      // Past the end there is no next segment to begin with: what was fetched would be shown again as it is.
      if (this.#video.ended) this.#hls.currentLevel = index;
      else this.#hls.nextLevel = index;
    });
    this.#tell('qualities');
  }

  #openHls(startSec: number, loadsAtOnce: boolean): void {
    const hls = new Hls({
      startPosition: startSec,
      autoStartLoad: loadsAtOnce,
      // A growing video is watched from its start, not from its newest second.
      lowLatencyMode: false,
      startFragPrefetch: true,
      backBufferLength: 60,
      capLevelToPlayerSize: false,
      // The page has its own track elements: the playlist's would stand beside them a second time.
      enableWebVTT: false,
      ...drmConfig(this.#source),
    });
    this.#hls = hls;
    hls.on(Hls.Events.MANIFEST_PARSED, () => {
      this.#applyWish((index) => {
        hls.startLevel = index;
        hls.loadLevel = index;
      });
      this.#tell('qualities');
    });
    hls.on(Hls.Events.LEVEL_SWITCHED, () => this.#tell('qualities'));
    hls.on(Hls.Events.FRAG_BUFFERED, () => {
      this.#retryMs = FIRST_RETRY_MS;
    });
    hls.on(Hls.Events.ERROR, (_, data) => this.#recover(hls, data));
    hls.loadSource(this.#source.address);
    hls.attachMedia(this.#video);
  }

  #openNatively(startSec: number, loadsAtOnce: boolean): void {
    this.#video.preload = loadsAtOnce ? 'auto' : 'none';
    const { address } = this.#source;
    this.#video.src = startSec > 0 ? `${address}#t=${startSec}` : address;
  }

  #applyWish(apply: (index: number) => void): void {
    const wished = this.#wishedHeightPx;
    if (wished === null) apply(-1);
    else {
      const index = this.qualities.find(({ heightPx }) => heightPx === wished)?.index;
      if (index !== undefined) apply(index);
    }
  }

  #recover(hls: Hls, data: ErrorData): void {
    if (hls !== this.#hls) return;
    const denial = denialOf(data);
    if (denial !== null) {
      this.close();
      this.dispatchEvent(new CustomEvent('denied', { detail: denial }));
      return;
    }
    if (!data.fatal) return;
    const nowMs = performance.now();
    if (data.type === Hls.ErrorTypes.MEDIA_ERROR && nowMs - this.#recoveredAtMs > MEDIA_RECOVERY_GAP_MS) {
      this.#recoveredAtMs = nowMs;
      hls.recoverMediaError();
      return;
    }
    this.#tell('trouble');
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => this.reload(this.#source), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #tell(name: 'qualities' | 'trouble'): void {
    this.dispatchEvent(new Event(name));
  }
}

function drmConfig({ licenceUrls, certificateUrl }: EngineSource): Partial<HlsConfig> {
  const entries = Object.entries(licenceUrls);
  if (entries.length === 0) return {};
  const certificate = certificateUrl === null ? {} : { serverCertificateUrl: certificateUrl };
  // The server names key systems as browsers do.
  const drmSystems: DRMSystemsConfiguration = Object.fromEntries(
    entries.map(([name, licenseUrl]) => [name, { licenseUrl, ...(name === 'com.apple.fps' && certificate) }]),
  );
  return { emeEnabled: true, drmSystems };
}

/** Why the viewer will not get to see the video however often it is tried; null when trying again may help. */
function denialOf({ type, details, response }: ErrorData): string | null {
  const isOfKeys = type === Hls.ErrorTypes.KEY_SYSTEM_ERROR || details === Hls.ErrorDetails.KEY_LOAD_ERROR;
  if (!isOfKeys) return null;
  if (response?.code === 403) return 'You may not play this video here.';
  if (details !== Hls.ErrorDetails.KEY_SYSTEM_NO_ACCESS) return null;
  return window.isSecureContext
    ? 'This browser cannot play protected videos.'
    : 'Protected videos play on secure pages only: open this page by https.';
}

/** Lays the shown frame over the video, so that a reload does not flash black. Null when nothing is shown yet. */
function coverWithFrame(video: HTMLVideoElement): HTMLCanvasElement | null {
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.videoWidth === 0) return null;
  const canvas = document.createElement('canvas');
  canvas.className = 'veil';
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  video.after(canvas);
  return canvas;
}
