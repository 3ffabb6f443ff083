import type { PlayerState } from '../../src/delivery/player/player-state.ts';
import { type ControlParts, toggle, toggleCaptions, toggleFullscreen } from './deeds.ts';
import { icons } from './icons.ts';
import { mountKeyboard } from './keyboard.ts';
import { mountNotice } from './notice.ts';
import { button, element } from './parts.ts';
import { mountQualityMenu } from './quality-menu.ts';
import { mountTimeline } from './timeline.ts';

const HIDE_AFTER_MS = 2_500;

/** Builds the controls around the video; `show` is told of each state of the video. */
export function mountControls(parts: ControlParts): { show(state: PlayerState): void } {
  const { frame, video } = parts;
  const timeline = mountTimeline(video);
  const bar = element('div', 'bar');
  const row = element('div', 'row');
  const spacer = element('span', 'spacer');
  row.append(playButton(video), ...volume(video), timeline.clock, spacer, ...captionsButton(video));
  row.append(mountQualityMenu(parts.engine), ...pictureButton(video), fullscreenButton(frame));
  bar.append(timeline.slider, row);
  const notice = mountNotice(parts);
  frame.append(largePlayButton(video), notice.panel, bar);
  frame.classList.add('ready');
  video.addEventListener('click', () => toggle(video));
  video.addEventListener('dblclick', () => void toggleFullscreen(frame));
  mountKeyboard(parts);
  hideWhenIdle(frame, video);
  return {
    show(state) {
      timeline.expect(state.durationSec);
      notice.show(state);
    },
  };
}

function playButton(video: HTMLVideoElement): HTMLButtonElement {
  const play = button('play', 'Play', icons.play, () => toggle(video));
  const refresh = () => {
    play.innerHTML = video.paused ? icons.play : icons.pause;
    play.setAttribute('aria-label', video.paused ? 'Play' : 'Pause');
  };
  video.addEventListener('play', refresh);
  video.addEventListener('pause', refresh);
  refresh();
  return play;
}

function largePlayButton(video: HTMLVideoElement): HTMLButtonElement {
  return button('large-play', 'Play', icons.play, () => toggle(video));
}

function volume(video: HTMLVideoElement): HTMLElement[] {
  const mute = button('mute', 'Mute', icons.sound, () => {
    video.muted = !video.muted;
  });
  const slider = element('input', 'volume');
  Object.assign(slider, { type: 'range', min: '0', max: '1', step: '0.05' });
  slider.setAttribute('aria-label', 'Volume');
  slider.addEventListener('input', () => {
    video.volume = Number(slider.value);
    video.muted = video.volume === 0;
  });
  const refresh = () => {
    const level = video.muted ? 0 : video.volume;
    mute.innerHTML = level === 0 ? icons.silence : icons.sound;
    mute.setAttribute('aria-label', level === 0 ? 'Unmute' : 'Mute');
    slider.value = String(level);
    slider.setAttribute('aria-valuetext', `${Math.round(level * 100)} %`);
    slider.style.setProperty('--part', `${level * 100}%`);
  };
  video.addEventListener('volumechange', refresh);
  refresh();
  return [mute, slider];
}

function captionsButton(video: HTMLVideoElement): HTMLElement[] {
  return video.querySelector('track') === null
    ? []
    : [button('captions', 'Captions', icons.captions, () => toggleCaptions(video))];
}

function pictureButton(video: HTMLVideoElement): HTMLElement[] {
  if (!document.pictureInPictureEnabled) return [];
  const swap = () =>
    document.pictureInPictureElement === null ? video.requestPictureInPicture() : document.exitPictureInPicture();
  return [button('picture', 'Picture in picture', icons.picture, () => void swap())];
}

function fullscreenButton(frame: HTMLElement): HTMLButtonElement {
  return button('fullscreen', 'Full screen', icons.fullscreen, () => void toggleFullscreen(frame));
}

function hideWhenIdle(frame: HTMLElement, video: HTMLVideoElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    frame.classList.remove('idle');
    clearTimeout(timer);
    timer = setTimeout(() => frame.classList.toggle('idle', !video.paused), HIDE_AFTER_MS);
  };
  const setPaused = () => {
    frame.classList.toggle('paused', video.paused);
    wake();
  };
  for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin']) frame.addEventListener(name, wake);
  for (const name of ['play', 'pause']) video.addEventListener(name, setPaused);
  setPaused();
}
