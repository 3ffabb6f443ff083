import { BrokenMedia } from '../bmff/broken-media.ts';
import type { FragmentEntry } from '../cmaf/fragment-table.ts';
import { type FragmentParts, type Segment, sealFragments } from '../cmaf/segment.ts';
import { readStoredFragments } from '../cmaf/stored-fragments.ts';

/** Destination of a copied segment: its number and its ticks on the new timeline. */
export type SegmentTiming = { number: number; timescale: number; startTick: number; durationTicks: number };

/**
 * Moves a stored segment to another timeline: the same samples with new times. If the last frame ends slightly before
 * or after the segment boundary, adjusts it to end there. Throws BrokenMedia if the segment does not fit.
 */
export function copySegment(bytes: Buffer, fragments: readonly FragmentEntry[], timing: SegmentTiming): Segment {
  const { parts, endTick } = placeParts(bytes, fragments, timing.startTick);
  const lackTicks = timing.startTick + timing.durationTicks - endTick;
  return { ...timing, fragments: sealFragments(timing, stretchEnd(parts, { lackTicks, mayGap: false }, timing)) };
}

/**
 * Like `copySegment`, for a publisher's audio, which may have gaps: the last frame lasts until the next segment begins.
 * Without `durationTicks`, the segment lasts as long as its frames.
 */
export function copyAudioSegment(
  bytes: Buffer,
  fragments: readonly FragmentEntry[],
  timing: Omit<SegmentTiming, 'durationTicks'> & { durationTicks: number | null },
): Segment {
  const { parts, endTick } = placeParts(bytes, fragments, timing.startTick);
  const whole = { ...timing, durationTicks: timing.durationTicks ?? endTick - timing.startTick };
  const lackTicks = whole.startTick + whole.durationTicks - endTick;
  return { ...whole, fragments: sealFragments(whole, stretchEnd(parts, { lackTicks, mayGap: true }, whole)) };
}

function placeParts(bytes: Buffer, fragments: readonly FragmentEntry[], startTick: number) {
  let endTick = startTick;
  const parts = readStoredFragments(bytes, fragments).map(({ head: _, ...part }): FragmentParts => {
    const baseTick = endTick;
    endTick += part.samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
    return { ...part, baseTick };
  });
  return { parts, endTick };
}

function stretchEnd(
  parts: readonly FragmentParts[],
  { lackTicks, mayGap }: { lackTicks: number; mayGap: boolean },
  timing: SegmentTiming,
): FragmentParts[] {
  if (lackTicks === 0) return [...parts];
  const last = parts.at(-1);
  const lastSample = last?.samples.at(-1);
  const mostTicks = mayGap && lackTicks > 0 ? lackTicks : (lastSample?.durationTicks ?? 0);
  if (last === undefined || lastSample === undefined || Math.abs(lackTicks) > mostTicks) {
    throw new BrokenMedia(
      `Expected segment ${timing.number} to last ${timing.durationTicks} ticks, ` +
        `got ${timing.durationTicks - lackTicks}.`,
    );
  }
  const stretched = { ...lastSample, durationTicks: lastSample.durationTicks + lackTicks };
  return [...parts.slice(0, -1), { ...last, samples: [...last.samples.slice(0, -1), stretched] }];
}
