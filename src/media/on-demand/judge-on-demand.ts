import type { Mp4Index } from '../pass-through/mp4-index.ts';
import type { SourceFacts } from '../probe/source-facts.ts';

/**
 * Maximum keyframe interval, in seconds. A viewer who seeks waits until everything between the previous keyframe and
 * the requested segment is decoded.
 */
export const MAX_KEYFRAME_GAP_SEC = 20;

/**
 * Returns a readable reason why segments of a source cannot be encoded on demand, or null if they can. `keyframeGapSec`
 * is the longest keyframe interval found.
 */
export function whyNotOnDemand(
  facts: Pick<SourceFacts, 'video' | 'container' | 'seeksToKeyframes'>,
  keyframeGapSec: number,
): string | null {
  if (facts.video === null) return 'it has no video, and audio is encoded as a whole';
  if (!facts.seeksToKeyframes) {
    return (
      `a file of the format ${facts.container} has no index of its keyframes to begin decoding at; upload it as ` +
      'MP4 or Matroska'
    );
  }
  if (keyframeGapSec <= MAX_KEYFRAME_GAP_SEC) return null;
  const came = keyframeGapSec.toFixed(1);
  return (
    `its keyframes are up to ${came} s apart, and ${MAX_KEYFRAME_GAP_SEC} s are the most; export it with more of ` +
    'them'
  );
}

/**
 * Returns the longest keyframe interval in an indexed file, in seconds. The interval from the last keyframe to the end
 * counts, too.
 */
export function indexedKeyframeGapSec({ syncSamples, mediaTicks, timescale }: Mp4Index): number {
  const ticks = [...syncSamples].map((sample) => mediaTicks[sample] ?? 0).sort((a, b) => a - b);
  const endTick = mediaTicks.reduce((end, tick) => Math.max(end, tick), 0);
  const gapTicks = ticks.reduce((most, tick, number) => Math.max(most, (ticks[number + 1] ?? endTick) - tick), 0);
  return gapTicks / timescale;
}
