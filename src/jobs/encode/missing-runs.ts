import { type ChunkRange, missingRanges } from '../../media/timeline/chunk-plan.ts';

/** One encoder process: a range of segments of some renditions, given as indices into a list. */
export type RungsRun = { range: ChunkRange; renditions: readonly number[] };

/**
 * Plans encoder processes for the missing segments of a range. `stored[n]` has the existing segments of rendition n.
 * Renditions that lack the same segments share a process.
 */
export function planMissingRuns(range: ChunkRange, stored: readonly ReadonlySet<number>[]): RungsRun[] {
  const groups = new Map<string, { ranges: ChunkRange[]; renditions: number[] }>();
  stored.forEach((segments, rendition) => {
    const ranges = missingRanges(range, segments);
    const pattern = ranges.map(({ fromSegment, toSegment }) => `${fromSegment}-${toSegment}`).join();
    const group = groups.get(pattern) ?? { ranges, renditions: [] };
    group.renditions.push(rendition);
    groups.set(pattern, group);
  });
  return [...groups.values()].flatMap(({ ranges, renditions }) => ranges.map((part) => ({ range: part, renditions })));
}
