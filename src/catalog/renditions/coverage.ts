/** Position of a stored chunk on the timeline, in ticks of the rendition's timescale. */
export type Placed = { firstSegment: number; segmentCount: number; startTick: number; durationTicks: number };

/** Required end of a rendition. `segments` is null for audio, whose last segment ends with the frames. */
export type Extent = { segments: number | null; endTick: number; toleranceTicks: number };

/**
 * Returns the reason why chunks are not a complete rendition, or null if they are: they cover every segment from 0
 * without gap or overlap, times are continuous, and the end is the timeline's, within the tolerance. `chunks` are in
 * segment order.
 */
export function findGap(chunks: readonly Placed[], extent: Extent): string | null {
  let segment = 0;
  let tick = 0;
  for (const chunk of chunks) {
    if (chunk.firstSegment !== segment) return `Expected a chunk at segment ${segment}, found ${chunk.firstSegment}.`;
    if (chunk.startTick !== tick) return `Expected segment ${segment} at tick ${tick}, found ${chunk.startTick}.`;
    segment += chunk.segmentCount;
    tick += chunk.durationTicks;
  }
  if (extent.segments !== null && segment !== extent.segments) {
    return `Expected ${extent.segments} segments, found ${segment}.`;
  }
  if (Math.abs(tick - extent.endTick) > extent.toleranceTicks) {
    return `Expected the end at tick ${extent.endTick}, found ${tick}.`;
  }
  return null;
}

/** Returns whether chunks, in time order, cover everything from one tick to another. */
export function covers(
  chunks: readonly Pick<Placed, 'startTick' | 'durationTicks'>[],
  fromTick: number,
  toTick: number,
): boolean {
  let at = fromTick;
  for (const { startTick, durationTicks } of chunks) if (startTick <= at) at = Math.max(at, startTick + durationTicks);
  return at >= toTick;
}
