/** Capture time of a point of a timeline: the media at `atSec` was captured at `wallMs` (ms since 1970). */
export type WallAnchor = { atSec: number; wallMs: number };

/** Minimum clock step, in ms. Smaller differences are network jitter, as in EXT-X-PROGRAM-DATE-TIME. */
const STEP_MS = 250;

/**
 * Returns the anchors that determine the capture time of every segment: one at the beginning, and one at each step of
 * the clock.
 */
export function wallAnchors(
  segments: readonly { startTick: number; wallMs: number }[],
  timescale: number,
): WallAnchor[] {
  const anchors: WallAnchor[] = [];
  for (const { startTick, wallMs } of segments) {
    const atSec = startTick / timescale;
    const known = wallAt(anchors, atSec);
    if (known === null || Math.abs(known - wallMs) > STEP_MS) anchors.push({ atSec, wallMs });
  }
  return anchors;
}

/** Returns the capture time of the media at a time of the timeline, or null without anchors. */
export function wallAt(anchors: readonly WallAnchor[], sec: number): number | null {
  const anchor = anchors.findLast(({ atSec }) => atSec <= sec) ?? anchors[0];
  return anchor === undefined ? null : anchor.wallMs + (sec - anchor.atSec) * 1000;
}
