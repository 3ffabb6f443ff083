import type { SourceFaultKind } from '../../lib/error-catalogue.ts';
import type { Colours } from './colours.ts';
import type { HdrMetadata } from './hdr-metadata.ts';
import type { SourceChapter } from './parse-chapters.ts';

/** A ratio of integers, den > 0, in lowest terms. Frame rates are in frames per second. */
export type Rational = { num: number; den: number };

/**
 * Properties of a source file that a probe found. Sizes are in pixels. `display*` sizes include sample aspect ratio and
 * rotation, as a viewer sees the video. Times are in seconds on the source's own clock.
 */
export type SourceFacts = {
  container: string;
  sizeBytes: number;
  /** Time from the start of the first to the end of the last presented video or audio, in seconds. */
  durationSec: number;
  /** Start of the earliest stream. Timelines begin at this time. */
  startSec: number;
  /** Whether a seek always ends at a keyframe. If false (MPEG-TS, MPEG-PS, FLV …), decoding starts earlier. */
  seeksToKeyframes: boolean;
  video: VideoFacts | null;
  /** Attached picture of a source without video. */
  cover?: VideoFacts;
  audio: AudioFacts[];
  subtitles: SubtitleFacts[];
  /** Set if the clock of the file jumps. Everything except the probe then uses a copy with a continuous clock. */
  isJoined?: boolean;
  /**
   * Number of bytes at the beginning of the file that are not media. Everything except the probe uses a copy without
   * them.
   */
  leadBytes?: number;
  /** Chapters in the file, if any. */
  chapters?: SourceChapter[];
  /** Problems that do not stop the encode (truncated file, odd timestamps). */
  warnings: string[];
};

/** Whether all encodes of a source use a repaired copy of it. */
export function needsMending({ isJoined, leadBytes }: SourceFacts): boolean {
  return isJoined === true || leadBytes !== undefined;
}

export type VideoFacts = {
  streamIndex: number;
  codec: string;
  profile: string;
  pixelFormat: string;
  bitDepth: number;
  codedWidthPx: number;
  codedHeightPx: number;
  displayWidthPx: number;
  displayHeightPx: number;
  rotationDeg: 0 | 90 | 180 | 270;
  sampleAspect: Rational;
  /**
   * Rate of the encoded frame grid: the source's own rate if it is constant, else a rate that keeps its frames at their
   * times. At most 120 fps.
   */
  rate: Rational;
  isVariableRate: boolean;
  isInterlaced: boolean;
  hdr: 'pq' | 'hlg' | null;
  /** Matrix of the coded samples. Guessed from the size if the file does not declare it. */
  colorMatrix: 'bt601' | 'bt709' | 'bt2020';
  /** Declared colours of the file, completed. Omitted in records of earlier versions (`coloursOf`). */
  colours?: Colours;
  /** Metadata of an HDR video, if any. */
  hdrMetadata?: HdrMetadata;
  bitrateBps: number | null;
  durationSec: number;
  startSec: number;
};

/** Purpose of an audio track. `main` is the main audio of the video. */
export type AudioRole = 'main' | 'commentary' | 'description';
/** Purpose of a text track: all speech, only foreign speech, or everything audible. */
export type TextKind = 'full' | 'forced' | 'sdh';

export type AudioFacts = {
  streamIndex: number;
  /** Stream of the right channel, if two mono tracks are the left and right channel of one recording. */
  rightStreamIndex?: number;
  /** Omitted for `main`. */
  role?: AudioRole;
  codec: string;
  /** ffprobe's name of the profile, such as `LC`. Omitted if unknown. */
  profile?: string;
  bitrateBps?: number;
  channels: number;
  /** ffprobe's name of the layout of more than two channels, such as `5.1(side)`. Omitted if unknown. */
  layout?: string;
  sampleRateHz: number;
  /** BCP 47 tag, or `und` if the file does not declare it. */
  language: string;
  title: string | null;
  startSec: number;
  durationSec: number | null;
};

export type SubtitleFacts = {
  streamIndex: number;
  codec: string;
  language: string;
  title: string | null;
  /** Omitted for `full`. */
  kind?: TextKind;
  isText: boolean;
};

/** Reason why a source cannot become a video. `kind` is stable and machine-readable. */
export type SourceFault = {
  kind: SourceFaultKind;
  message: string;
};
