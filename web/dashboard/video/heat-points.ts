/** Maximum number of points of the curve. */
const MAX_POINTS = 600;

/**
 * Returns the heat over the whole length of a video. `share` is the middle of a part, as a fraction of the length.
 * Seconds that nobody played are missing in `heat`, and have the value 0.
 */
export function heatPoints(
  heat: Readonly<Record<string, number>> | null,
  lengthSec: number,
): { share: number; value: number }[] {
  if (heat === null || Object.keys(heat).length === 0) return [];
  const count = Math.min(MAX_POINTS, Math.max(1, Math.ceil(lengthSec)));
  return Array.from({ length: count }, (_, part) => {
    const share = (part + 0.5) / count;
    return { share, value: heat[Math.floor(share * lengthSec)] ?? 0 };
  });
}
