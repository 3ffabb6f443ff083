import type { SourceFaultKind } from '../../lib/error-catalogue.ts';
import type { Colours } from './colours.ts';
import type { HdrMetadata } from './hdr-metadata.ts';
import type { SourceChapter } from './parse-chapters.ts';

/** A ratio of whole numbers, den > 0, in lowest terms. Frame rates are frames per second. */
export type Rational = { num: number; den: number };

/**
 * What a probe found in a source file. Sizes are in pixels; `display*` are after sample aspect ratio
 * and rotation, that is what a viewer sees. Times are seconds on the source's own clock.
 */
export type SourceFacts = {
  container: string;
  sizeBytes: number;
  /** From the first to the last presented instant of picture or audio. */
  durationSec: number;
  /** Where the earliest stream begins; the engine's timelines count from here. */
  startSec: number;
  /** False when a seek lands anywhere, not on a keyframe (MPEG-TS, MPEG-PS, FLV ...): decoding starts further ahead. */
  seeksToKeyframes: boolean;
  video: VideoFacts | null;
  /** An attached picture of a source without video. */
  cover?: VideoFacts;
  audio: AudioFacts[];
  subtitles: SubtitleFacts[];
  /** Its clock jumps: all but the probe is of a copy whose clock was joined, and so is all that is made. */
  isJoined?: boolean;
  /**
   * So many bytes at its beginning are no media: all but the probe is of a copy without them, and so is all that is
   * made.
   */
  leadBytes?: number;
  /** Those that the file brings, when there are any. */
  chapters?: SourceChapter[];
  /** Problems that do not stop the encode (truncated file, odd timestamps). */
  warnings: string[];
};

/** Whether all that is made of a source is made of a mended copy of it. */
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
   * The rate of the encoded frame grid: the source's own when constant, else the nearest usual one to its average, at
   * most 120.
   */
  rate: Rational;
  isVariableRate: boolean;
  isInterlaced: boolean;
  hdr: 'pq' | 'hlg' | null;
  /** The matrix the samples were coded with; guessed from the size when the file does not say. */
  colorMatrix: 'bt601' | 'bt709' | 'bt2020';
  /** All that the file states of its colours, completed; left out in facts of earlier versions (`coloursOf`). */
  colours?: Colours;
  /** Of an HDR picture that states some. */
  hdrMetadata?: HdrMetadata;
  bitrateBps: number | null;
  durationSec: number;
  startSec: number;
};

/** Purpose of an audio track beside the film's own sound. */
export type AudioRole = 'main' | 'commentary' | 'description';
/** Purpose of a text track: all speech, foreign speech alone, or all that is heard. */
export type TextKind = 'full' | 'forced' | 'sdh';

export type AudioFacts = {
  streamIndex: number;
  /** Of two mono tracks that are the sides of one sound: the right one. */
  rightStreamIndex?: number;
  /** Left out for `main`. */
  role?: AudioRole;
  codec: string;
  /** As ffprobe names it, `LC`; left out when unknown. */
  profile?: string;
  bitrateBps?: number;
  channels: number;
  sampleRateHz: number;
  /** BCP-47; `und` when the file does not say. */
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

/** Why a source cannot become a video; `kind` is stable and machine readable. */
export type SourceFault = {
  kind: SourceFaultKind;
  message: string;
};
