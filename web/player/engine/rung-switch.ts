import Hls, { type Fragment, type LevelDetails } from 'hls.js';

/** Minimum remaining duration of a segment that is replaced, in seconds. */
const MIN_LEFT_SEC = 0.5;
/** Maximum time to wait for a frame after a seek, in milliseconds. */
const MAX_FRAME_MS = 1000;

/**
 * The height that the viewer chose, and the switch to it. `changed` is called when the switch begins and when it ends.
 */
export class RungSwitch {
  /** The height that the viewer chose. Null for automatic selection by bandwidth. */
  wantedHeightPx: number | null = null;
  readonly #changed: () => void;
  #now: AbortController | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Whether a chosen level is not shown yet. */
  get isOn(): boolean {
    return this.#now !== null;
  }

  /** Starts with the chosen height, if the playlist has it. */
  startWith(hls: Hls): void {
    const level = this.#levelOf(hls);
    if (level === null || level === -1) return;
    hls.startLevel = level;
    hls.loadLevel = level;
  }

  /** Switches to a height, or to automatic selection if null. Aborts an earlier switch. */
  async choose(hls: Hls | null, video: HTMLVideoElement, heightPx: number | null): Promise<void> {
    this.wantedHeightPx = heightPx;
    const level = hls && this.#levelOf(hls);
    if (hls === null || level === null) return;
    this.#now?.abort();
    const now = new AbortController();
    this.#now = now;
    this.#changed();
    await showLevel(hls, video, { level, signal: now.signal });
    if (this.#now === now) this.close();
  }

  #levelOf({ levels }: Hls): number | null {
    if (this.wantedHeightPx === null) return -1;
    const level = levels.findIndex(({ height }) => height === this.wantedHeightPx);
    return level === -1 ? null : level;
  }

  close(): void {
    if (this.#now === null) return;
    this.#now.abort();
    this.#now = null;
    this.#changed();
  }
}

type Chosen = { level: number; signal: AbortSignal };

/**
 * Shows a level that the viewer chose, and resolves when it is shown. -1 returns to automatic selection. Playback of
 * the buffered media continues until the segment at the current position has been fetched in the new level, or the next
 * one if the current one ends before that. Only then does that segment replace the buffer, so playback stops only while
 * the browser decodes it.
 */
async function showLevel(hls: Hls, video: HTMLVideoElement, { level, signal }: Chosen): Promise<void> {
  // After the end, there is no next segment at which the new level could begin, so switch immediately.
  if (video.ended) hls.currentLevel = level;
  else if (level === -1 || video.readyState < HTMLMediaElement.HAVE_METADATA || isLive(hls)) hls.nextLevel = level;
  else if (hls.currentLevel === level) hls.nextLevel = level;
  else {
    const shown = untilShown(hls, level, signal);
    hls.loadLevel = level;
    const details = await detailsOf(hls, level, signal);
    const { segment, isFetched } = await fetchNext(details, { hls, video, signal });
    if (signal.aborted) return;
    // Near the end, hls.js has no later segment at which it could begin the next level, and never would.
    if (isFetched || segment?.sn === details?.endSN) replaceBuffer(hls, video, level);
    else hls.nextLevel = level;
    await shown;
  }
}

type Playback = { hls: Hls; video: HTMLVideoElement; signal: AbortSignal };

/**
 * Fetches the segment at which the level begins, and waits until playback reaches it. After a seek, waits until the new
 * position is shown and begins again there: in Chromium, the picture freezes if the buffer is replaced during a seek.
 */
async function fetchNext(details: LevelDetails | null, { hls, video, signal }: Playback): Promise<NextSegment> {
  let hasMoved = video.seeking;
  const note = () => {
    hasMoved = true;
  };
  video.addEventListener('seeking', note);
  try {
    for (;;) {
      while (hasMoved && !signal.aborted) {
        hasMoved = false;
        await untilSettled(video, signal);
      }
      const segment = details && nextOf(details, hls, video);
      const isFetched = await fetchAhead(segment, signal);
      if (segment !== null) await untilReached(segment, video, signal);
      if (!hasMoved || signal.aborted) return { segment, isFetched };
    }
  } finally {
    video.removeEventListener('seeking', note);
  }
}

type NextSegment = { segment: Fragment | null; isFetched: boolean };

function isLive(hls: Hls): boolean {
  return hls.latestLevelDetails?.live === true;
}

/** Resolves to the playlist of a level once it is loaded, or to null if the switch is aborted first. */
function detailsOf(hls: Hls, level: number, signal: AbortSignal): Promise<LevelDetails | null> {
  const known = hls.levels[level]?.details;
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve) => {
    const take = (_: unknown, loaded: { level: number; details: LevelDetails }) => {
      if (loaded.level === level) end(loaded.details);
    };
    const end = (details: LevelDetails | null) => {
      hls.off(Hls.Events.LEVEL_LOADED, take);
      resolve(details);
    };
    hls.on(Hls.Events.LEVEL_LOADED, take);
    signal.addEventListener('abort', () => end(null), { once: true });
  });
}

/**
 * Returns the segment at the current position, or the first later one that can be fetched before it ends. Returns the
 * last segment if all end before that.
 */
function nextOf({ fragments }: LevelDetails, hls: Hls, video: HTMLVideoElement): Fragment | null {
  const { currentTime, playbackRate, paused } = video;
  const isInTime = ({ level, duration, end }: Fragment) => {
    const fetchSec = ((hls.levels[level]?.averageBitrate ?? 0) * duration) / hls.bandwidthEstimate;
    return end > currentTime && (paused || (end - currentTime) / playbackRate >= fetchSec + MIN_LEFT_SEC);
  };
  return fragments.find(isInTime) ?? fragments.at(-1) ?? null;
}

/** Resolves when playback reaches a segment, or continues elsewhere. */
function untilReached({ start }: Fragment, video: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const names = ['timeupdate', 'seeking', 'pause', 'ended'] as const;
    const look = (event?: Event) => {
      if (video.currentTime < start && !signal.aborted && (event === undefined || event.type === 'timeupdate')) return;
      for (const name of names) video.removeEventListener(name, look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    for (const name of names) video.addEventListener(name, look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** Resolves when a seek is over and a frame at its position is shown, as far as the browser reports frames. */
function untilSettled(video: HTMLVideoElement, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const awaitFrame = () => {
      if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(end);
      timer = setTimeout(end, MAX_FRAME_MS);
    };
    signal.addEventListener('abort', end, { once: true, signal: over.signal });
    if (video.seeking) video.addEventListener('seeked', awaitFrame, { once: true, signal: over.signal });
    else awaitFrame();
  });
}

/** Fetches a segment into the browser's cache, from which hls.js then loads it. Returns whether that succeeded. */
async function fetchAhead(segment: Fragment | null, signal: AbortSignal): Promise<boolean> {
  if (segment === null || segment.byteRange.length > 0) return false;
  const addresses = [segment.initSegment?.url, segment.url].filter((url) => url !== undefined);
  try {
    const responses = await Promise.all(addresses.map((url) => fetch(url, { signal })));
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    return responses.every(({ ok }) => ok);
  } catch (error) {
    // hls.js requests the segment again, and handles a repeated failure.
    if (error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

/**
 * Removes the buffered video and seeks to the same position. Without the seek, a browser continues with the next
 * keyframe after the position, which may be seconds away.
 */
function replaceBuffer(hls: Hls, video: HTMLVideoElement, level: number): void {
  hls.once(Hls.Events.BUFFER_FLUSHED, () => {
    video.currentTime = Number(video.currentTime);
  });
  hls.currentLevel = level;
}

/** Resolves when a level is shown, or when the switch is aborted. */
function untilShown(hls: Hls, level: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const take = (_: unknown, shown: { level: number }) => {
      if (shown.level === level) end();
    };
    const end = () => {
      hls.off(Hls.Events.LEVEL_SWITCHED, take);
      resolve();
    };
    hls.on(Hls.Events.LEVEL_SWITCHED, take);
    for (const name of [Hls.Events.DESTROYING, Hls.Events.MEDIA_DETACHING] as const) hls.once(name, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
