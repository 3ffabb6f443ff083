/** From `atSec` of a timeline on, its media was taken at `wallMs` (ms since 1970) and later. */
export type WallAnchor = { atSec: number; wallMs: number };

/** Less than this is jitter of the network, as in EXT-X-PROGRAM-DATE-TIME. */
const STEP_MS = 250;

/** The few anchors that say when each segment was taken: one at the beginning, one at each step of the clock. */
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

/** When the media at a time of the timeline was taken; null without anchors. */
export function wallAt(anchors: readonly WallAnchor[], sec: number): number | null {
  const anchor = anchors.findLast(({ atSec }) => atSec <= sec) ?? anchors[0];
  return anchor === undefined ? null : anchor.wallMs + (sec - anchor.atSec) * 1000;
}
