/** Height of the curve where nothing was watched, as a percentage. */
const FLOOR = 6;

/**
 * Returns the heat curve as an SVG path in a box of 100 x 100, which passes smoothly through the middle of each bucket.
 */
export function heatPath(heat: readonly number[]): string {
  const points = heat.map((value, index) => ({
    x: ((index + 0.5) / heat.length) * 100,
    y: 100 - FLOOR - (Math.max(0, Math.min(100, value)) / 100) * (100 - FLOOR),
  }));
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return '';
  let path = `M0 100L0 ${round(first.y)}`;
  let before = { x: 0, y: first.y };
  for (const point of [...points, { x: 100, y: last.y }]) {
    const middle = round((before.x + point.x) / 2);
    path += `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    before = point;
  }
  return `${path}L100 100Z`;
}

/**
 * Minimum distance from the peak at which the pointer counts as near it, as a fraction of the bar, because a bucket of
 * a long video is narrower than a pointer.
 */
const NEAR = 0.015;

/**
 * Returns the middle of the most watched bucket, and the distance that counts as near. Returns null if no bucket was
 * watched clearly more than the others.
 */
export function mostReplayed(heat: readonly number[]): { at: number; near: number } | null {
  const peak = Math.max(0, ...heat);
  const mean = heat.reduce((sum, value) => sum + value, 0) / Math.max(1, heat.length);
  if (peak === 0 || peak < mean * 1.2) return null;
  // Cover at least the adjacent buckets.
  return { at: (heat.indexOf(peak) + 0.5) / heat.length, near: Math.max(NEAR, 1.5 / heat.length) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
