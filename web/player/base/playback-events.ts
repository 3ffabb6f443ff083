/**
 * What a viewer and the player do, as it happens: the one source for statistics and for pages that embed the player.
 * `atSec` is the place in the media.
 */
export type PlaybackEvent =
  /** The first picture (or sound) is there, `afterMs` after playback was asked for. */
  | { kind: 'started'; atSec: number; afterMs: number }
  | { kind: 'play'; atSec: number }
  | { kind: 'pause'; atSec: number }
  | { kind: 'seek'; fromSec: number; atSec: number }
  | { kind: 'ended'; atSec: number }
  | { kind: 'rate'; atSec: number; rate: number }
  /** Playback waits for media; `stall-end` follows when it goes on. */
  | { kind: 'stall'; atSec: number }
  | { kind: 'stall-end'; atSec: number }
  | { kind: 'quality'; atSec: number; heightPx: number; bitrateBps: number }
  | { kind: 'error'; atSec: number; code: string };

export type PlaybackEvents = { subscribe(listener: (event: PlaybackEvent) => void): () => void };

/** The part of the engine that is listened to. */
type Source = EventTarget & {
  readonly shown: { heightPx: number; bitrateBps: number } | null;
  readonly lastFault: string | null;
};

/** Watches a video element and its engine for as long as the page lives. */
export function watchPlayback(video: HTMLVideoElement, engine: Source): PlaybackEvents {
  const listeners = new Set<(event: PlaybackEvent) => void>();
  const report = (event: PlaybackEvent) => {
    for (const listener of listeners) listener(event);
  };
  let askedAtMs: number | null = video.paused ? null : performance.now();
  let hasStarted = false;
  let isStalled = false;
  let lastSec = 0;

  const on = (name: string, run: () => void) => video.addEventListener(name, run);
  const go = () => {
    const atSec = video.currentTime;
    if (isStalled) report({ kind: 'stall-end', atSec });
    isStalled = false;
    if (hasStarted) return;
    hasStarted = true;
    report({ kind: 'started', atSec, afterMs: askedAtMs === null ? 0 : performance.now() - askedAtMs });
  };
  on('play', () => {
    askedAtMs ??= performance.now();
    report({ kind: 'play', atSec: video.currentTime });
  });
  on('pause', () => report({ kind: 'pause', atSec: video.currentTime }));
  on('ended', () => report({ kind: 'ended', atSec: video.currentTime }));
  on('ratechange', () => report({ kind: 'rate', atSec: video.currentTime, rate: video.playbackRate }));
  on('playing', go);
  on('waiting', () => {
    if (!hasStarted || isStalled || video.seeking) return;
    isStalled = true;
    report({ kind: 'stall', atSec: video.currentTime });
  });
  on('timeupdate', () => {
    if (!video.seeking) lastSec = video.currentTime;
  });
  on('seeked', () => {
    report({ kind: 'seek', fromSec: lastSec, atSec: video.currentTime });
    lastSec = video.currentTime;
  });
  engine.addEventListener('shown', () => {
    if (engine.shown !== null) report({ kind: 'quality', atSec: video.currentTime, ...engine.shown });
  });
  for (const name of ['trouble', 'denied']) {
    engine.addEventListener(name, () =>
      report({ kind: 'error', atSec: video.currentTime, code: engine.lastFault ?? name }),
    );
  }
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
