import type { SourceFaultKind } from '../../lib/error-catalogue.ts';
import type { Colours } from './colours.ts';
import type { HdrMetadata } from './hdr-metadata.ts';
import type { SourceChapter } from './parse-chapters.ts';

/** A ratio of integers, den > 0, in lowest terms. Frame rates are in frames per second. */
export type Rational = { num: number; den: number };

/**
 * Facts that a probe found in a source file. Sizes are in pixels. `display*` are after sample aspect ratio and
 * rotation, as a viewer sees it. Times are in seconds on the source's own clock.
 */
export type SourceFacts = {
  container: string;
  sizeBytes: number;
  /** From the first to the last presented instant of video or audio. */
  durationSec: number;
  /** Start of the earliest stream. The engine's timelines count from here. */
  startSec: number;
  /**
   * False if a seek can end anywhere instead of on a keyframe (MPEG-TS, MPEG-PS, FLV ...). Decoding then starts further
   * ahead.
   */
  seeksToKeyframes: boolean;
  video: VideoFacts | null;
  /** An attached picture of a source without video. */
  cover?: VideoFacts;
  audio: AudioFacts[];
  subtitles: SubtitleFacts[];
  /** Its clock jumps. Everything except the probe uses a copy with a continuous clock. */
  isJoined?: boolean;
  /** Number of bytes at its beginning that are not media. Everything except the probe uses a copy without them. */
  leadBytes?: number;
  /** The file's own chapters, if any. */
  chapters?: SourceChapter[];
  /** Problems that do not stop the encode (truncated file, odd timestamps). */
  warnings: string[];
};

/** Returns whether all encodes of a source use a repaired copy of it. */
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
   * Rate of the encoded frame grid: the source's own if constant, else the nearest usual one to its average, at most
   * 120.
   */
  rate: Rational;
  isVariableRate: boolean;
  isInterlaced: boolean;
  hdr: 'pq' | 'hlg' | null;
  /** Matrix that the samples were coded with. Guessed from the size if the file does not declare it. */
  colorMatrix: 'bt601' | 'bt709' | 'bt2020';
  /** The file's declared colours, completed. Omitted in facts of earlier versions (`coloursOf`). */
  colours?: Colours;
  /** Metadata of an HDR video, if it has any. */
  hdrMetadata?: HdrMetadata;
  bitrateBps: number | null;
  durationSec: number;
  startSec: number;
};

/** Purpose of an audio track other than the film's own sound. */
export type AudioRole = 'main' | 'commentary' | 'description';
/** Purpose of a text track: all speech, foreign speech alone, or all that is heard. */
export type TextKind = 'full' | 'forced' | 'sdh';

export type AudioFacts = {
  streamIndex: number;
  /** The right side, if two mono tracks are the sides of one sound. */
  rightStreamIndex?: number;
  /** Left out for `main`. */
  role?: AudioRole;
  codec: string;
  /** As ffprobe names it, `LC`; left out when unknown. */
  profile?: string;
  bitrateBps?: number;
  channels: number;
  sampleRateHz: number;
  /** BCP 47, `und` if the file does not declare it. */
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
  /** Left out for `full`. */
  kind?: TextKind;
  isText: boolean;
};

/** Reason why a source cannot become a video. `kind` is stable and machine readable. */
export type SourceFault = {
  kind: SourceFaultKind;
  message: string;
};
