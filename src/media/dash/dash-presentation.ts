import type { Colours } from '../probe/colours.ts';
import type { AudioRole, Rational } from '../probe/source-facts.ts';

/**
 * A rendition as listed in DASH. Its URLs are `init.mp4` and `{number}.m4s` below `r/{id}/` and its `segmentFolder`.
 */
export type DashRendition = {
  /** URL-safe characters: letters, digits, `-`, `_`. */
  id: string;
  /** Empty, or URL-safe characters and a trailing `/`. */
  segmentFolder: string;
  /** RFC 6381 codec string. */
  codecString: string;
  /** Ticks per second. */
  timescale: number;
  /** Number and presentation time of the first listed segment. */
  firstSegment: number;
  startTick: number;
  /** Media time of the start of the Period (`presentationTimeOffset`). 0 if omitted. */
  offsetTicks?: number;
  /** One value per listed segment, in order. */
  segmentDurationsTicks: readonly number[];
  segmentSizesBytes: readonly number[];
  /** Whole ContentProtection elements, as written for the DRM systems. Empty if unencrypted. */
  contentProtection: readonly string[];
};

export type DashVideo = DashRendition & {
  widthPx: number;
  heightPx: number;
  /** Frames per second, averaged for a variable rate, or null if unknown. */
  frameRate: Rational | null;
  sampleAspect: Rational;
  /** Null if the video does not declare its colours. */
  colours: Colours | null;
};

export type DashAudio = DashRendition & {
  /** BCP 47 tag, or `und` if unknown. */
  language: string;
  /** Name shown in menus, or empty. */
  name: string;
  /** Omitted for the main audio. */
  role?: AudioRole;
  isDefault: boolean;
  channels: number;
  sampleRateHz: number;
};

/** All renditions of a complete timeline. */
export type DashPresentation = { video: readonly DashVideo[]; audio: readonly DashAudio[] };

/** A Period (ISO 23009-1 section 5.3.2). `startSec` is its start in the presentation, in seconds. */
export type DashPeriod = DashPresentation & { id: string; startSec: number };

/** Attributes of a presentation that still grows. Times are ms since 1970. */
export type DashGrowth = {
  /** Origin of the timeline. */
  availabilityStartMs: number;
  publishedMs: number;
  /** Duration by which viewers can seek back, in seconds. */
  windowSec: number;
  /**
   * Delay of players behind the newest segment, in seconds. `updateSec` is the interval at which they reload the
   * manifest.
   */
  delaySec: number;
  updateSec: number;
};
