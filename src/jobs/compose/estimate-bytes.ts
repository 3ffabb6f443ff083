import type { PartView } from '../../catalog/compose/part-view.ts';
import type { PlannedRendition } from '../../catalog/lifecycle/encode-plan.ts';
import type { Piece } from '../../media/compose/plan-pieces.ts';

/**
 * Estimates the bytes of the segments of a composition. For each new rendition, a part adds its proportional fraction
 * of the rendition of the part that is copied, or that has the same rung and codec if the new one is encoded.
 */
export function estimateBytes(
  parts: readonly { view: PartView }[],
  { renditions, pieces }: { renditions: readonly PlannedRendition[]; pieces: readonly Piece[] },
): number {
  const shares = parts.map(({ view }, part) => {
    const ticks = pieces.reduce((sum, piece) => (piece.part === part ? sum + piece.toTick - piece.fromTick : sum), 0);
    return ticks / Math.max(1, view.cutList.endTicks);
  });
  const bytesOf = (rendition: PlannedRendition, part: number) => {
    const source = parts[part]?.view.renditions.find(isSourceOf(rendition, part));
    return (source?.storageBytes ?? 0) * (shares[part] ?? 0);
  };
  const each = renditions.flatMap((rendition) => parts.map((_, part) => bytesOf(rendition, part)));
  return Math.ceil(each.reduce((sum, bytes) => sum + bytes, 0));
}

function isSourceOf({ plan: { composedOf }, kind, codec, rung }: PlannedRendition, part: number) {
  return (one: PartView['renditions'][number]) =>
    composedOf === undefined
      ? one.kind === kind && one.codec === codec && one.rung === rung
      : one.id === composedOf[part];
}
