/**
 * The ladder's steps, by the short side in pixels of a 16:9 picture, or an upright 9:16 one, that they hold: 720p holds
 * 1280x720 and 720x1280, and so 1280x536 and 960x720.
 */
export const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160] as const;
export type Rung = (typeof RUNGS)[number];

/** Makes a value for each rung. */
export function perRung<T>(make: (rung: Rung) => T): Record<Rung, T> {
  // Every rung is there, which the type of `fromEntries` does not say.
  return Object.fromEntries(RUNGS.map((rung) => [rung, make(rung)])) as Record<Rung, T>;
}

/** One picture size to encode. `rung` names it, `widthPx` and `heightPx` are even, `maxBitrateBps` caps it. */
export type RungPlan = { rung: Rung; widthPx: number; heightPx: number; maxBitrateBps: number };

/** What a library allows: which rungs, and caps of its own in bits per second. */
export type LadderOptions = {
  allowedRungs: readonly Rung[];
  maxBitratesBps?: Partial<Record<Rung, number>>;
};

/** Caps of x264 by rung, in bits per second: capped quality rarely reaches them. */
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
/** 480p is 854 wide, 240p 426: sides are rounded to even ones. */
const ROUNDING_PX = 1;

/** A picture's two sides as a viewer sees it, in pixels. */
type PictureSize = { displayWidthPx: number; displayHeightPx: number };

/**
 * The rung that a picture of this size is listed under when it is not scaled: the highest allowed one that either of
 * its sides fills, or a higher one when its short side needs that. 854x356 stands for 480p by its width, 574x240 for
 * 240p. Null when its short side is longer than every allowed rung's.
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

/** A picture may be this much smaller than a rung and still be listed as it. */
const MAX_UNDERSIZE = 1.1;

/**
 * The rung that an unscaled picture is listed as, when a library keeps it under `sizeRung`: that one, unless the
 * picture is clearly smaller. Then the highest rung below that it fills, or the lowest, so that no video is listed
 * under a resolution that it does not have.
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
 * first keeps the source's own size when either side fits, however wide that is; the others stay within 16:9. Never
 * upscales; a source smaller than every allowed rung gets one rendition of its own size, listed as the rung that it
 * fills. Aspect is kept, sides are even. A source without picture gets none. Throws when no rung is allowed.
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
    // Of a picture wider than 16:9 the long side fits no rung that the short side does not fit as well.
    const isOwnSize = index === 0 && shortPx <= rung;
    const scale = isOwnSize ? 1 : Math.min(1, rung / shortPx, (rung * LONG_TO_SHORT) / longPx);
    const [widthPx, heightPx] = [toEven(displayWidthPx * scale), toEven(displayHeightPx * scale)];
    return { rung, widthPx, heightPx, maxBitrateBps: capOf(rung) };
  });
}

function toEven(px: number): number {
  return Math.max(2, 2 * Math.round(px / 2));
}
