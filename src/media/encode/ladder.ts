import type { SourceFacts } from '../probe/source-facts.ts';

/** The ladder's steps, by the length of the short side in pixels: 720p of an upright video is 720 wide. */
export const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160] as const;
export type Rung = (typeof RUNGS)[number];

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

/**
 * Chooses the renditions to encode, highest first. Never upscales; a source smaller than every allowed
 * rung gets one rendition of its own size under the lowest. Aspect is kept, sides are even. A source
 * without picture gets none. Throws when no rung is allowed.
 */
export function planLadder(facts: Pick<SourceFacts, 'video'>, options: LadderOptions): RungPlan[] {
  const allowed = RUNGS.filter((rung) => options.allowedRungs.includes(rung)).reverse();
  const lowest = allowed.at(-1);
  if (lowest === undefined) throw new Error(`Expected at least one of the rungs ${RUNGS.join(', ')}, got none.`);
  if (facts.video === null) return [];
  const { displayWidthPx, displayHeightPx } = facts.video;
  const shortPx = Math.min(displayWidthPx, displayHeightPx);
  const fitting = allowed.filter((rung) => rung <= shortPx);
  return (fitting.length === 0 ? [lowest] : fitting).map((rung) => {
    const scale = Math.min(1, rung / shortPx);
    const [widthPx, heightPx] = [toEven(displayWidthPx * scale), toEven(displayHeightPx * scale)];
    return { rung, widthPx, heightPx, maxBitrateBps: options.maxBitratesBps?.[rung] ?? MAX_BITRATES_BPS[rung] };
  });
}

function toEven(px: number): number {
  return Math.max(2, 2 * Math.round(px / 2));
}
