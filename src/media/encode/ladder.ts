/**
 * Rungs of the ladder, named by the short side in pixels of a 16:9 or upright 9:16 frame that they hold: 720p holds
 * 1280x720 and 720x1280, and so 1280x536 and 960x720.
 */
export const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160] as const;
export type Rung = (typeof RUNGS)[number];

/** Builds a record with a value for each rung. */
export function perRung<T>(make: (rung: Rung) => T): Record<Rung, T> {
  // Every rung is included, which the type of `fromEntries` cannot express.
  return Object.fromEntries(RUNGS.map((rung) => [rung, make(rung)])) as Record<Rung, T>;
}

/** One size to encode. `rung` names it, `widthPx` and `heightPx` are even, `maxBitrateBps` caps it. */
export type RungPlan = { rung: Rung; widthPx: number; heightPx: number; maxBitrateBps: number };

/** Limits of a library: allowed rungs, and its own caps in bits per second. */
export type LadderOptions = {
  allowedRungs: readonly Rung[];
  maxBitratesBps?: Partial<Record<Rung, number>>;
};

/** x264 bitrate caps by rung, in bits per second. Capped quality rarely reaches them. */
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
/** 480p is 854 wide, 240p 426: sides are rounded to even numbers. */
const ROUNDING_PX = 1;

/** Displayed size, in pixels. */
type PictureSize = { displayWidthPx: number; displayHeightPx: number };

/**
 * Returns the rung under which a video of this size is listed unscaled: the highest allowed one that either of its
 * sides fills, or a higher one if its short side needs that. 854x356 is 480p by its width, 574x240 is 240p. Null if its
 * short side is longer than that of every allowed rung.
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

/** Factor by which a video may be smaller than a rung and still be listed as it. */
const MAX_UNDERSIZE = 1.1;

/**
 * Returns the rung under which an unscaled video that a library stores as `sizeRung` is listed: that one, unless the
 * video is clearly smaller. Then the highest lower rung that it fills, or the lowest, so that no video is listed under
 * a resolution that it does not have.
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
 * first keeps the source's own size if either side fits, however wide that is; the others stay within 16:9. Never
 * upscales: a source smaller than every allowed rung gets one rendition of its own size, listed as the rung that it
 * fills. Aspect is kept, sides are even. A source without video gets none. Throws if no rung is allowed.
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
    // The long side of a frame wider than 16:9 fits no rung that its short side does not fit as well.
    const isOwnSize = index === 0 && shortPx <= rung;
    const scale = isOwnSize ? 1 : Math.min(1, rung / shortPx, (rung * LONG_TO_SHORT) / longPx);
    const [widthPx, heightPx] = [toEven(displayWidthPx * scale), toEven(displayHeightPx * scale)];
    return { rung, widthPx, heightPx, maxBitrateBps: capOf(rung) };
  });
}

function toEven(px: number): number {
  return Math.max(2, 2 * Math.round(px / 2));
}
