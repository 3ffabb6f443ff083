import type { ControlParts } from '../parts.ts';
import type { TimeRange } from './time-range.ts';

/** Actions of buttons, keys and menus on the video. */
export type Actions = {
  togglePlay(): void;
  seek(sec: number): void;
  seekBy(deltaSec: number): void;
  /** Seeks to a fraction of the range of the bar, from 0 to 1. */
  seekToPart(part: number): void;
  changeVolume(delta: number): void;
  toggleMute(): void;
  toggleFullscreen(): void;
  togglePip(): void;
  /** Shows a later or earlier frame of a paused video. */
  stepFrames(count: number): void;
  changeRate(delta: number): void;
};

const DEFAULT_FRAME_RATE_HZ = 30;
const RATES = { lowest: 0.25, highest: 4 };

export function createActions({ frame, video, engine, options }: ControlParts, range: TimeRange): Actions {
  const play = () => {
    // Without a user gesture, a browser may refuse to play. The video then stays paused, and the controls show this.
    video.play().catch(() => undefined);
  };
  const actions: Actions = {
    togglePlay: () => (video.paused ? play() : video.pause()),
    seek(sec) {
      const { startSec, reachableSec } = range.span;
      if (Number.isFinite(sec)) video.currentTime = Math.max(startSec, Math.min(sec, reachableSec));
    },
    seekBy: (deltaSec) => actions.seek(video.currentTime + deltaSec),
    seekToPart(part) {
      const { startSec, endSec } = range.span;
      actions.seek(startSec + part * (endSec - startSec));
    },
    changeVolume(delta) {
      // Round to hundredths, so that ten steps up and ten steps down result in the original volume.
      video.volume = Math.max(0, Math.min(100, Math.round((video.volume + delta) * 100))) / 100;
      video.muted = video.volume === 0;
    },
    toggleMute() {
      video.muted = !video.muted;
      if (!video.muted && video.volume === 0) video.volume = 0.5;
    },
    toggleFullscreen: () => void toggleFullscreen(frame, video, options.usesNativeFullscreen),
    togglePip: () => void togglePip(video),
    stepFrames(count) {
      if (video.paused) actions.seekBy(count / (engine.shown?.frameRateHz || DEFAULT_FRAME_RATE_HZ));
    },
    changeRate(delta) {
      video.playbackRate = Math.max(RATES.lowest, Math.min(RATES.highest, video.playbackRate + delta));
    },
  };
  return actions;
}

async function togglePip(video: HTMLVideoElement): Promise<void> {
  try {
    // Browsers without the picture-in-picture API have neither property.
    if (document.pictureInPictureElement) await document.exitPictureInPicture();
    else if (document.pictureInPictureEnabled) await video.requestPictureInPicture();
  } catch (error) {
    // The video has no picture yet, or the embedding frame does not allow it.
    if (!(error instanceof DOMException)) throw error;
  }
}

/** iPhones support full screen only in the native player. */
type ApplePlayer = HTMLVideoElement & { webkitEnterFullscreen?(): void };

async function toggleFullscreen(frame: HTMLElement, video: ApplePlayer, usesNative: boolean): Promise<void> {
  try {
    if (document.fullscreenElement !== null) await document.exitFullscreen();
    else if (document.fullscreenEnabled) await frame.requestFullscreen({ navigationUI: 'hide' });
    else if (usesNative) video.webkitEnterFullscreen?.();
  } catch (error) {
    // The embedding frame may not allow full screen.
    if (!(error instanceof TypeError) && !(error instanceof DOMException)) throw error;
  }
}
