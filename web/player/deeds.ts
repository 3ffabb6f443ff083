import type { Engine } from './engine.ts';

export type ControlParts = { frame: HTMLElement; video: HTMLVideoElement; engine: Engine };

export function toggle(video: HTMLVideoElement): void {
  if (video.paused) void video.play();
  else video.pause();
}

export async function toggleFullscreen(frame: HTMLElement): Promise<void> {
  if (document.fullscreenElement === null) await frame.requestFullscreen();
  else await document.exitFullscreen();
}

export function toggleCaptions(video: HTMLVideoElement): void {
  const tracks = [...video.textTracks].filter(({ kind }) => kind === 'subtitles');
  const isShown = tracks.some(({ mode }) => mode === 'showing');
  tracks.forEach((track, index) => {
    track.mode = !isShown && index === 0 ? 'showing' : 'disabled';
  });
}
