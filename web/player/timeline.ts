import { element, writeTime } from './parts.ts';

const STEPS = 1_000;

/** The seek slider and the clock. `expect` tells how long the video will be while it still grows. */
export function mountTimeline(video: HTMLVideoElement) {
  const slider = element('input', 'timeline');
  Object.assign(slider, { type: 'range', min: '0', max: String(STEPS), value: '0', step: '1' });
  slider.setAttribute('aria-label', 'Seek');
  const clock = element('span', 'clock');
  let expectedSec = 0;

  const durationSec = () => Math.max(expectedSec, Number.isFinite(video.duration) ? video.duration : 0);
  const refresh = () => {
    const total = durationSec();
    const part = (sec: number) => (total === 0 ? 0 : Math.min(1, sec / total));
    slider.value = String(Math.round(part(video.currentTime) * STEPS));
    slider.style.setProperty('--part', `${part(video.currentTime) * 100}%`);
    slider.style.setProperty('--loaded', `${part(bufferedEndSec(video)) * 100}%`);
    slider.setAttribute('aria-valuetext', `${writeTime(video.currentTime)} of ${writeTime(total)}`);
    clock.textContent = `${writeTime(video.currentTime)} / ${writeTime(total)}`;
  };
  slider.addEventListener('input', () => {
    const wanted = (Number(slider.value) / STEPS) * durationSec();
    video.currentTime = Math.min(wanted, reachableSec(video));
    refresh();
  });
  for (const name of ['timeupdate', 'durationchange', 'progress', 'seeking']) video.addEventListener(name, refresh);
  refresh();
  return {
    slider,
    clock,
    expect(sec: number) {
      expectedSec = sec;
      refresh();
    },
  };
}

/** How far one can seek now: a video that is still made ends at its newest segment. */
export function reachableSec(video: HTMLVideoElement): number {
  const { seekable } = video;
  return seekable.length === 0 ? 0 : seekable.end(seekable.length - 1);
}

function bufferedEndSec({ buffered, currentTime }: HTMLVideoElement): number {
  for (let index = 0; index < buffered.length; index += 1) {
    if (buffered.start(index) <= currentTime && currentTime <= buffered.end(index)) return buffered.end(index);
  }
  return currentTime;
}
