/** Duration of the first segment in seconds, and the maximum wait for it that still feels immediate. */
const SEGMENT_SEC = 4;
const FIRST_SEGMENT_SEC = 0.8;

/**
 * Chooses the starting rung (rates ascending), so that the first segment loaded is the first shown. An unknown
 * connection starts low: a frame immediately, and a better one 4 s later.
 */
export function chooseStartLevel(ratesBps: readonly number[], lineBps: number | null): number {
  if (lineBps === null) return 0;
  const affordable = ratesBps.findLastIndex((rate) => (rate * SEGMENT_SEC) / lineBps <= FIRST_SEGMENT_SEC);
  return Math.max(0, affordable);
}
