/**
 * Rungs of the ladder, named after the short side, in pixels, of the 16:9 or 9:16 frame into which they fit. 1280x720
 * and 720x1280 are 720p, and so are 1280x536 and 960x720.
 */
export const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160] as const;
export type Rung = (typeof RUNGS)[number];

/** Creates a record with a value for each rung. */
export function perRung<T>(make: (rung: Rung) => T): Record<Rung, T> {
  // The record has every rung, which the type of `fromEntries` cannot express.
  return Object.fromEntries(RUNGS.map((rung) => [rung, make(rung)])) as Record<Rung, T>;
}

/** One size to encode. `rung` is its name. `widthPx` and `heightPx` are even. `maxBitrateBps` is its bit rate cap. */
export type RungPlan = { rung: Rung; widthPx: number; heightPx: number; maxBitrateBps: number };

/** Limits of a library: its allowed rungs, and its bit rate caps, in bits per second, that replace the defaults. */
export type LadderOptions = {
  allowedRungs: readonly Rung[];
  maxBitratesBps?: Partial<Record<Rung, number>>;
};

/** x264 bit rate caps by rung, in bits per second. Capped quality rarely reaches them. */
export const MAX_BITRATES_BPS: Readonly<Record<Rung, number>> = {
  240: 600_000,
  360: 800_000,
  480: 1_400_000,
  720: 2_800_000,
  1080: 5_000_000,
  1440: 8_000_000,
  2160: 25_000_000,
};

const LONG_TO_SHORT = 16 / 9;
/** Rounding tolerance in pixels. Sides are rounded to even numbers: 480p is 854 wide, 240p is 426. */
const ROUNDING_PX = 1;

/** Displayed size, in pixels. */
type PictureSize = { displayWidthPx: number; displayHeightPx: number };

/**
 * Returns the rung under which an unscaled video of this size is listed: the highest allowed one that either side
 * fills, or a higher one if the short side exceeds it. 854x356 is 480p by its width, 574x240 is 240p. Returns null if
 * the short side exceeds every allowed rung.
 */
export function rungForSize(size: PictureSize, allowedRungs: readonly Rung[]): Rung | null {
  const allowed = RUNGS.filter((rung) => allowedRungs.includes(rung));
  const { shortPx } = sidesOf(size);
  return (
    allowed.findLast((rung) => shortPx <= rung && fillsRung(rung, size)) ??
    allowed.find((rung) => shortPx <= rung) ??
    null
  );
}

function fillsRung(rung: Rung, size: PictureSize): boolean {
  const { shortPx, longPx } = sidesOf(size);
  return shortPx >= rung || longPx >= rung * LONG_TO_SHORT - ROUNDING_PX;
}

/** Maximum ratio of a rung's size to that of a video listed under it. */
const MAX_UNDERSIZE = 1.1;

/**
 * Returns the rung under which an unscaled video stored as `sizeRung` is listed: `sizeRung` itself, unless the video is
 * clearly smaller. In that case it is the highest lower rung that the video fills, or the lowest, so that no video is
 * listed under a resolution that it does not have.
 */
export function listedRung(size: PictureSize, sizeRung: Rung): Rung {
  const grown = {
    displayWidthPx: size.displayWidthPx * MAX_UNDERSIZE,
    displayHeightPx: size.displayHeightPx * MAX_UNDERSIZE,
  };
  if (fillsRung(sizeRung, grown)) return sizeRung;
  return RUNGS.findLast((rung) => rung < sizeRung && fillsRung(rung, size)) ?? RUNGS[0];
}

function sidesOf({ displayWidthPx, displayHeightPx }: PictureSize): { shortPx: number; longPx: number } {
  return { shortPx: Math.min(displayWidthPx, displayHeightPx), longPx: Math.max(displayWidthPx, displayHeightPx) };
}

/**
 * Chooses the renditions to encode, highest first: each rung that the short or the long side of the source fills. The
 * first one keeps the size of the source if either side fits, even if it is wider than 16:9. The others stay within
 * 16:9. Never upscales: a source smaller than every allowed rung gets one rendition of its own size, listed as the rung
 * that it fills. Keeps the aspect ratio, with even sides. A source without video gets no rendition. Throws if no rung
 * is allowed.
 */
export function planLadder(facts: { video: PictureSize | null }, options: LadderOptions): RungPlan[] {
  const allowed = RUNGS.filter((rung) => options.allowedRungs.includes(rung)).reverse();
  const lowest = allowed.at(-1);
  if (lowest === undefined) throw new Error(`Expected at least one of the rungs ${RUNGS.join(', ')}, got none.`);
  if (facts.video === null) return [];
  const { video } = facts;
  const { displayWidthPx, displayHeightPx } = video;
  const { shortPx, longPx } = sidesOf(video);
  const fitting = allowed.filter((rung) => fillsRung(rung, video));
  const capOf = (rung: Rung) => options.maxBitratesBps?.[rung] ?? MAX_BITRATES_BPS[rung];
  if (fitting.length === 0) {
    const [widthPx, heightPx] = [toEven(displayWidthPx), toEven(displayHeightPx)];
    return [{ rung: listedRung(video, lowest), widthPx, heightPx, maxBitrateBps: capOf(lowest) }];
  }
  return fitting.map((rung, index) => {
    // If the long side of a frame wider than 16:9 fits a rung, its short side fits too.
    const isOwnSize = index === 0 && shortPx <= rung;
    const scale = isOwnSize ? 1 : Math.min(1, rung / shortPx, (rung * LONG_TO_SHORT) / longPx);
    const [widthPx, heightPx] = [toEven(displayWidthPx * scale), toEven(displayHeightPx * scale)];
    return { rung, widthPx, heightPx, maxBitrateBps: capOf(rung) };
  });
}

function toEven(px: number): number {
  return Math.max(2, 2 * Math.round(px / 2));
}
