import type { PlannedRendition } from '../catalog/encoding/encode-plan.ts';
import type { Work } from '../catalog/encoding/work.ts';
import { newGuid } from '../lib/guid.ts';
import { findCodec } from '../media/codecs/all.ts';
import type { CutList } from '../media/cut-list.ts';
import { type LadderOptions, planLadder, type RungPlan } from '../media/ladder.ts';
import type { SourceFacts } from '../media/source-facts.ts';
import { codecWorks, type Place } from './plan-works.ts';

/**
 * Plans the rungs of one more codec on a timeline, which may be one that is shown already: their renditions, and the
 * works that make them, behind all that a viewer waits for. A rung too small for the codec is left out.
 */
export function planCodec(
  place: Place,
  { facts, ladder, codec }: { facts: SourceFacts; ladder: LadderOptions; codec: string },
): { renditions: PlannedRendition[]; works: Work[] } {
  const { minSidePx } = findCodec(codec);
  const rungs = planLadder(facts, ladder).filter(({ widthPx, heightPx }) => Math.min(widthPx, heightPx) >= minSidePx);
  const renditions = rungs.map((rung) => encodedRendition(rung, codec, place.cutList));
  return { renditions, works: codecWorks(place, renditions) };
}

/** A rung of a codec on a timeline. */
export function encodedRendition(rung: RungPlan, codec: string, cutList: CutList): PlannedRendition {
  return {
    id: newGuid(),
    kind: 'video',
    origin: 'encode',
    codec,
    rung: rung.rung,
    language: 'und',
    name: '',
    isDefault: true,
    timescale: cutList.timescale,
    widthPx: rung.widthPx,
    heightPx: rung.heightPx,
    plan: { durationSec: cutList.endTicks / cutList.timescale, maxBitrateBps: rung.maxBitrateBps },
    listed: null,
  };
}
