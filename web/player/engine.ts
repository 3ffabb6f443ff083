import Hls, { type ErrorData } from 'hls.js';

const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;

export type Quality = { index: number; heightPx: number; bitrateBps: number };

/** Plays HLS in a video element through MSE, natively where there is no MSE. */
export class Engine extends EventTarget {
  readonly #video: HTMLVideoElement;
  #hls: Hls | null = null;
  #address = '';
  #retryMs = FIRST_RETRY_MS;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;
  #retrying: ReturnType<typeof setTimeout> | undefined;
  #wishedHeightPx: number | null = null;

  constructor(video: HTMLVideoElement) {
    super();
    this.#video = video;
  }

  /** Loads a playlist and begins at `startSec`; `loadsAtOnce` false waits for `fetchNow`. */
  open(address: string, startSec: number, loadsAtOnce: boolean): void {
    this.close();
    this.#address = address;
    if (Hls.isSupported()) this.#openHls(startSec, loadsAtOnce);
    else this.#openNatively(startSec, loadsAtOnce);
  }

  /** Begins to fetch, where `open` was told to wait. */
  fetchNow(): void {
    if (this.#hls === null) this.#video.preload = 'auto';
    else if (!this.#hls.loadingEnabled) this.#hls.startLoad(this.#hls.config.startPosition);
  }

  /** Reads the playlist anew at the place that is being watched: an open player never rereads its list of rungs. */
  reload(address: string): void {
    const { currentTime, paused } = this.#video;
    const veil = coverWithFrame(this.#video);
    const uncover = () => veil?.remove();
    this.#video.addEventListener('seeked', uncover, { once: true });
    this.#video.addEventListener('playing', uncover, { once: true });
    setTimeout(uncover, LONGEST_RETRY_MS);
    this.open(address, currentTime, true);
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
      if (this.#hls !== null) this.#hls.nextLevel = index;
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
    hls.loadSource(this.#address);
    hls.attachMedia(this.#video);
  }

  #openNatively(startSec: number, loadsAtOnce: boolean): void {
    this.#video.preload = loadsAtOnce ? 'auto' : 'none';
    this.#video.src = startSec > 0 ? `${this.#address}#t=${startSec}` : this.#address;
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
    if (!data.fatal || hls !== this.#hls) return;
    const nowMs = performance.now();
    if (data.type === Hls.ErrorTypes.MEDIA_ERROR && nowMs - this.#recoveredAtMs > MEDIA_RECOVERY_GAP_MS) {
      this.#recoveredAtMs = nowMs;
      hls.recoverMediaError();
      return;
    }
    this.#tell('trouble');
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => this.reload(this.#address), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #tell(name: 'qualities' | 'trouble'): void {
    this.dispatchEvent(new Event(name));
  }
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
