import type { Guid } from '../../../lib/guid.ts';
import type { LivePart } from './part-writer.ts';

/**
 * Number of segments that an owner keeps in memory in addition to those not stored yet, including the open one. New
 * edges get their parts, because players at the live edge play within one segment of it.
 */
const KEPT_SEGMENTS = 3;

export type RecentSegment = {
  renditionId: Guid;
  number: number;
  parts: LivePart[];
  isClosed: boolean;
  stored: { storageKey: string; sizeBytes: number } | null;
};

/** Newest segments of the renditions of a period, with their parts. */
export class RecentSegments {
  readonly #segments = new Map<Guid, RecentSegment[]>();

  add(renditionId: Guid, part: LivePart): void {
    const segments = this.#of(renditionId);
    // When one encoder replaces another, parts of two segments arrive interleaved.
    let open = segments.findLast(({ number }) => number === part.segment);
    if (open === undefined) {
      open = { renditionId, number: part.segment, parts: [], isClosed: false, stored: null };
      segments.push(open);
    }
    open.parts.push(part);
  }

  /** Drops a segment that is not served. */
  drop(renditionId: Guid, number: number): void {
    this.#segments.set(
      renditionId,
      this.#of(renditionId).filter((one) => one.number !== number),
    );
  }

  close(renditionId: Guid, number: number): void {
    const segment = this.#of(renditionId).find((one) => one.number === number);
    if (segment !== undefined) segment.isClosed = true;
  }

  store(renditionId: Guid, number: number, stored: { storageKey: string; sizeBytes: number }): void {
    const segments = this.#of(renditionId);
    const segment = segments.find((one) => one.number === number);
    if (segment !== undefined) segment.stored = stored;
    const surplus = Math.max(0, segments.length - KEPT_SEGMENTS);
    const old = segments.slice(0, surplus);
    // Keep unstored segments, whatever their number.
    const unstored = old.filter((one) => one.stored === null);
    this.#segments.set(renditionId, [...unstored, ...segments.slice(surplus)]);
  }

  /** Returns all segments in memory, oldest first. */
  all(): RecentSegment[] {
    return [...this.#segments.values()].flat().toSorted((a, b) => a.number - b.number);
  }

  #of(renditionId: Guid): RecentSegment[] {
    const known = this.#segments.get(renditionId);
    if (known !== undefined) return known;
    const segments: RecentSegment[] = [];
    this.#segments.set(renditionId, segments);
    return segments;
  }
}
