import { BrokenMedia } from '../bmff/broken-media.ts';
import type { FragmentEntry } from '../cmaf/fragment-table.ts';
import { type FragmentParts, type Segment, sealFragments } from '../cmaf/segment.ts';
import { readStoredFragments } from '../cmaf/stored-fragments.ts';

/** Where a copied segment goes: its number and the ticks that it covers on the new timeline. */
export type CopyPlace = { number: number; timescale: number; startTick: number; durationTicks: number };

/**
 * Makes a stored segment one of another timeline: the same samples under new times. A last frame that ends a little
 * before or after the border lasts to it. Throws BrokenMedia when the segment does not fit.
 */
export function copySegment(bytes: Buffer, fragments: readonly FragmentEntry[], place: CopyPlace): Segment {
  let tick = place.startTick;
  const parts = readStoredFragments(bytes, fragments).map(({ samples, payload }): FragmentParts => {
    const baseTick = tick;
    tick += samples.reduce((sum, sample) => sum + sample.durationTicks, 0);
    return { baseTick, samples, payload };
  });
  const lackTicks = place.startTick + place.durationTicks - tick;
  return { ...place, fragments: sealFragments(place, stretchEnd(parts, lackTicks, place)) };
}

function stretchEnd(parts: readonly FragmentParts[], lackTicks: number, place: CopyPlace): FragmentParts[] {
  if (lackTicks === 0) return [...parts];
  const last = parts.at(-1);
  const lastSample = last?.samples.at(-1);
  if (last === undefined || lastSample === undefined || Math.abs(lackTicks) > lastSample.durationTicks) {
    throw new BrokenMedia(
      `Expected segment ${place.number} to last ${place.durationTicks} ticks, it is off by ${lackTicks}.`,
    );
  }
  const stretched = { ...lastSample, durationTicks: lastSample.durationTicks + lackTicks };
  return [...parts.slice(0, -1), { ...last, samples: [...last.samples.slice(0, -1), stretched] }];
}
