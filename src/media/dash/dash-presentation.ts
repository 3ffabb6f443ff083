import type { Colours } from '../probe/colours.ts';
import type { AudioRole, Rational } from '../probe/source-facts.ts';

/**
 * One rendition as DASH lists it. Its addresses are `init.mp4` and `{number}.m4s` below `r/{id}/` and its
 * `segmentFolder`.
 */
export type DashRendition = {
  /** Plain characters of an address: letters, digits, `-`, `_`. */
  id: string;
  /** Empty, or plain characters and a final `/`. */
  segmentFolder: string;
  /** RFC 6381. */
  codecString: string;
  /** Ticks per second. */
  timescale: number;
  /** Number of the first segment that is listed, and when it is presented. */
  firstSegment: number;
  startTick: number;
  /** Of each listed segment, in order. */
  segmentDurationsTicks: readonly number[];
  segmentSizesBytes: readonly number[];
  /** ContentProtection elements, whole, as the DRM schemes write them; empty when it is in the clear. */
  contentProtection: readonly string[];
};

export type DashVideo = DashRendition & {
  widthPx: number;
  heightPx: number;
  /** Pictures per second, an average where they vary; null when it is not known. */
  frameRate: Rational | null;
  sampleAspect: Rational;
  /** Null where the pictures do not name them. */
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

/** All renditions of a timeline that is whole. */
export type DashPresentation = { video: readonly DashVideo[]; audio: readonly DashAudio[] };

/** A Period (ISO 23009-1 section 5.3.2): `startSec` is where it begins in the presentation. */
export type DashPeriod = DashPresentation & { id: string; startSec: number };

/** What a presentation that still grows says of itself; times are ms since 1970. */
export type DashGrowth = {
  /** Where its time is 0. */
  availabilityStartMs: number;
  publishedMs: number;
  /** How far viewers can go back. */
  windowSec: number;
  /** How far behind the newest segment players should be, and how often they read the manifest again. */
  delaySec: number;
  updateSec: number;
};
