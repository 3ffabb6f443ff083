import path from 'node:path';

/** Shaka's script, to be added to a page. */
export const SHAKA = path.resolve(import.meta.dirname, '../../node_modules/shaka-player/dist/shaka-player.compiled.js');

/** As much of Shaka as is used here. */
export type Shaka = {
  Player: new () => {
    attach(video: HTMLVideoElement): Promise<void>;
    load(address: string): Promise<void>;
    getVariantTracks(): { height: number; language: string }[];
  };
};

/** Runs in a page: plays on until a second has passed. */
export async function playOneSecond(): Promise<{ durationSec: number; widthPx: number; frames: number }> {
  const video = document.querySelector('video');
  if (video === null) throw new Error('Expected a video element.');
  const from = video.currentTime;
  await video.play();
  await new Promise<void>((resolve, reject) => {
    video.onerror = () => reject(new Error(video.error?.message));
    video.ontimeupdate = () => {
      if (video.currentTime > from + 1) resolve();
    };
  });
  video.pause();
  const frames = video.getVideoPlaybackQuality().totalVideoFrames;
  return { durationSec: video.duration, widthPx: video.videoWidth, frames };
}
