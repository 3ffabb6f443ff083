import { type ControlParts, toggle, toggleCaptions, toggleFullscreen } from './deeds.ts';
import { reachableSec } from './timeline.ts';

const SEEK_SEC = 10;
const VOLUME_STEP = 0.05;

/** Space and K play, arrows seek and set the volume, M mutes, F fills the screen, C captions, L loops, digits jump. */
export function mountKeyboard({ frame, video }: ControlParts): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isPressed = event.target instanceof HTMLButtonElement && (event.key === ' ' || event.key === 'Enter');
    const deed = isPressed ? undefined : findDeed(event.key, frame, video);
    if (deed === undefined) return;
    event.preventDefault();
    deed();
  });
}

function findDeed(key: string, frame: HTMLElement, video: HTMLVideoElement): (() => void) | undefined {
  if (/^[0-9]$/.test(key)) return () => seek(video, (Number(key) / 10) * video.duration);
  const deeds: Record<string, () => void> = {
    ' ': () => toggle(video),
    k: () => toggle(video),
    arrowleft: () => seek(video, video.currentTime - SEEK_SEC),
    arrowright: () => seek(video, video.currentTime + SEEK_SEC),
    arrowup: () => setVolume(video, video.volume + VOLUME_STEP),
    arrowdown: () => setVolume(video, video.volume - VOLUME_STEP),
    m: () => {
      video.muted = !video.muted;
    },
    f: () => void toggleFullscreen(frame),
    c: () => toggleCaptions(video),
    l: () => {
      video.loop = !video.loop;
    },
  };
  return deeds[key.toLowerCase()];
}

function seek(video: HTMLVideoElement, sec: number): void {
  if (Number.isFinite(sec)) video.currentTime = Math.max(0, Math.min(sec, reachableSec(video)));
}

function setVolume(video: HTMLVideoElement, level: number): void {
  video.volume = Math.max(0, Math.min(1, level));
  video.muted = video.volume === 0;
}
