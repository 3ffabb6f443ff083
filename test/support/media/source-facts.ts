import type { SourceFacts, VideoFacts } from '../../../src/media/probe/source-facts.ts';

/** A plain 720p25 video track of ten seconds, with a test's changes. */
export function makeVideoFacts(change: Partial<VideoFacts> = {}): VideoFacts {
  return {
    streamIndex: 0,
    codec: 'h264',
    profile: 'High',
    pixelFormat: 'yuv420p',
    bitDepth: 8,
    codedWidthPx: 1280,
    codedHeightPx: 720,
    displayWidthPx: 1280,
    displayHeightPx: 720,
    rotationDeg: 0,
    sampleAspect: { num: 1, den: 1 },
    rate: { num: 25, den: 1 },
    isVariableRate: false,
    isInterlaced: false,
    hdr: null,
    colorMatrix: 'bt709',
    bitrateBps: null,
    durationSec: 10,
    startSec: 0,
    ...change,
  };
}

/** A source with that video track and no audio, with a test's changes. */
export function makeFacts(change: Partial<SourceFacts> = {}): SourceFacts {
  return {
    container: 'mov,mp4,m4a,3gp,3g2,mj2',
    sizeBytes: 1,
    durationSec: 10,
    startSec: 0,
    seeksToKeyframes: true,
    video: makeVideoFacts(),
    audio: [],
    subtitles: [],
    warnings: [],
    ...change,
  };
}
