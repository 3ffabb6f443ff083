// Runs in the page of a player. Its types are stripped when it is served.
import { median, until } from './page-wait.ts';
import type { Played } from './trial.ts';

const BEEP_LEVEL = 0.2;

/** Stops listening. Returns how late beeps are on the element's clock, or a recording of video and audio. */
type Listening = () => Promise<Pick<Played, 'soundMs' | 'recording'>>;

export async function listenByWebAudio(video: HTMLVideoElement): Promise<Listening> {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 256 });
  context.createMediaElementSource(video).connect(analyser).connect(context.destination);
  await context.resume();
  const beepsMs: number[] = [];
  let isLoud = false;
  const levels = new Float32Array(256);
  const looks = setInterval(() => {
    analyser.getFloatTimeDomainData(levels);
    const wasLoud = isLoud;
    isLoud = levels.some((level) => Math.abs(level) > BEEP_LEVEL);
    if (isLoud && !wasLoud) beepsMs.push((video.currentTime - Math.round(video.currentTime)) * 1000);
  }, 4);
  return async () => {
    clearInterval(looks);
    if (beepsMs.length < 3) throw new Error(`${beepsMs.length} beeps in 5 s`);
    return { soundMs: median(beepsMs), recording: null };
  };
}

/** Firefox runs no audio context on a machine without a sound card, but it records an element's playback. */
export async function listenByRecording(video: HTMLVideoElement): Promise<Listening> {
  await until('media', () => video.readyState >= 2);
  // The method has a Firefox-specific name, while the types have only the standard name.
  const stream = (video as HTMLVideoElement & { mozCaptureStream(): MediaStream }).mozCaptureStream();
  const pieces: Blob[] = [];
  let recorder: MediaRecorder | null = null;
  const begin = () => {
    recorder = new MediaRecorder(stream, { mimeType: 'video/webm', videoBitsPerSecond: 2_000_000 });
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    recorder.start();
  };
  // Clappr is already playing.
  if (!video.paused && video.readyState > 2) begin();
  else video.addEventListener('playing', () => recorder ?? begin(), { once: true });
  return async () => {
    if (recorder === null) throw new Error('nothing to record');
    const { mimeType } = recorder;
    await new Promise<void>((resolve) => {
      recorder?.addEventListener('stop', () => resolve());
      recorder?.stop();
    });
    const reader = new FileReader();
    await new Promise((resolve) => {
      reader.onload = resolve;
      reader.readAsDataURL(new Blob(pieces, { type: mimeType }));
    });
    return { soundMs: null, recording: String(reader.result).split(',').at(-1) ?? '' };
  };
}
