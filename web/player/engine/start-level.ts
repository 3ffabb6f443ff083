/** The first segment is about 4 s long; waiting this long for it is still taken as at once. */
const SEGMENT_SEC = 4;
const FIRST_SEGMENT_SEC = 0.8;

/**
 * Chooses with which rung (rates ascending) playback begins, so that the first segment loaded is the first shown. What
 * is not known of the line begins low: a picture at once, and a better one 4 s later.
 */
export function chooseStartLevel(ratesBps: readonly number[], lineBps: number | null): number {
  if (lineBps === null) return 0;
  const affordable = ratesBps.findLastIndex((rate) => (rate * SEGMENT_SEC) / lineBps <= FIRST_SEGMENT_SEC);
  return Math.max(0, affordable);
}
