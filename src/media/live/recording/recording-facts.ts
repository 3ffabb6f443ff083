import { chooseGridRate, reduceRatio } from '../../probe/frame-rate.ts';
import type { AudioFacts, SourceFacts, VideoFacts } from '../../probe/source-facts.ts';

/** Stored tracks of a recording, as published. A missing track is null. */
export type RecordedTracks = {
  durationSec: number;
  sizeBytes: number;
  video: { codec: string; codecString: string; widthPx: number; heightPx: number; frameRate: number } | null;
  audio: { codec: string; sampleRateHz: number } | null;
};

/** Minimum height of video that usually uses the HDTV matrix (ITU-R BT.709). Smaller video uses BT.601. */
const HD_PX = 720;
const USUAL_RATE = 25;

/** Returns the properties of a recording as a probe of a file would: square pixels, progressive, starting at 0. */
export function recordingFacts({ durationSec, sizeBytes, video, audio }: RecordedTracks): SourceFacts {
  return {
    container: 'mp4',
    sizeBytes,
    durationSec,
    startSec: 0,
    seeksToKeyframes: true,
    video: video === null ? null : videoFacts(video, durationSec),
    audio: audio === null ? [] : [audioFacts(audio, durationSec)],
    subtitles: [],
    warnings: [],
  };
}

function videoFacts(
  { codec, codecString, widthPx, heightPx, frameRate }: NonNullable<RecordedTracks['video']>,
  durationSec: number,
): VideoFacts {
  const average = reduceRatio(Math.max(1, Math.round((frameRate > 0 ? frameRate : USUAL_RATE) * 1000)), 1000);
  return {
    streamIndex: 0,
    codec,
    profile: codecString,
    pixelFormat: 'yuv420p',
    bitDepth: 8,
    codedWidthPx: widthPx,
    codedHeightPx: heightPx,
    displayWidthPx: widthPx,
    displayHeightPx: heightPx,
    rotationDeg: 0,
    sampleAspect: { num: 1, den: 1 },
    rate: chooseGridRate(average, average),
    isVariableRate: false,
    isInterlaced: false,
    hdr: null,
    colorMatrix: heightPx >= HD_PX ? 'bt709' : 'bt601',
    bitrateBps: null,
    durationSec,
    startSec: 0,
  };
}

function audioFacts({ codec, sampleRateHz }: NonNullable<RecordedTracks['audio']>, durationSec: number): AudioFacts {
  return { streamIndex: 1, codec, channels: 2, sampleRateHz, language: 'und', title: null, startSec: 0, durationSec };
}
