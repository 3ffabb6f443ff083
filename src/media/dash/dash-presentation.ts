import type { Colours } from '../probe/colours.ts';
import type { AudioRole, Rational } from '../probe/source-facts.ts';

/**
 * One rendition as DASH lists it. Its URLs are `init.mp4` and `{number}.m4s` below `r/{id}/` and its `segmentFolder`.
 */
export type DashRendition = {
  /** URL-safe characters: letters, digits, `-`, `_`. */
  id: string;
  /** Empty, or URL-safe characters and a final `/`. */
  segmentFolder: string;
  /** RFC 6381. */
  codecString: string;
  /** Ticks per second. */
  timescale: number;
  /** Number and presentation time of the first listed segment. */
  firstSegment: number;
  startTick: number;
  /** Per listed segment, in order. */
  segmentDurationsTicks: readonly number[];
  segmentSizesBytes: readonly number[];
  /** Whole ContentProtection elements, as written by the DRM schemes. Empty if unencrypted. */
  contentProtection: readonly string[];
};

export type DashVideo = DashRendition & {
  widthPx: number;
  heightPx: number;
  /** Frames per second, an average for a variable rate. Null if unknown. */
  frameRate: Rational | null;
  sampleAspect: Rational;
  /** Null if the video does not declare them. */
  colours: Colours | null;
};

export type DashAudio = DashRendition & {
  /** BCP 47, `und` when unknown. */
  language: string;
  /** Shown in menus; empty for none. */
  name: string;
  /** Left out for the film's own sound. */
  role?: AudioRole;
  isDefault: boolean;
  channels: number;
  sampleRateHz: number;
};

/** All renditions of a complete timeline. */
export type DashPresentation = { video: readonly DashVideo[]; audio: readonly DashAudio[] };

/** A Period (ISO 23009-1 section 5.3.2). `startSec` is its start in the presentation. */
export type DashPeriod = DashPresentation & { id: string; startSec: number };

/** Attributes of a presentation that still grows. Times are ms since 1970. */
export type DashGrowth = {
  /** Origin of its timeline. */
  availabilityStartMs: number;
  publishedMs: number;
  /** How far viewers can go back. */
  windowSec: number;
  /** Distance of players from the newest segment, and interval at which they reload the manifest. */
  delaySec: number;
  updateSec: number;
};
