import type { ColumnType } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

type SetByDefault = ColumnType<Date, Date | undefined, Date>;

/**
 * What viewers of one edge request: `segment` of a rendition, which one of them waits for (`is_awaited`) or has just
 * been given, and `ahead_segments` after it. It ends by itself unless the edge renews it.
 */
export type SegmentRequestTable = {
  library_id: number;
  media_id: Guid;
  rendition_id: Guid;
  segment: number;
  edge_id: Guid;
  ahead_segments: number;
  is_awaited: boolean;
  asked_at: SetByDefault;
  wanted_until: Date;
};

/** An encoder at work for viewers: it makes `next_segment` now and goes no further than `to_segment`, excluded. */
export type JitRunTable = {
  library_id: number;
  media_id: Guid;
  rendition_id: Guid;
  id: Guid;
  attempt: number;
  next_segment: number;
  to_segment: number;
  owner: string;
  lease_until: Date;
};

/** A segment that could not be made: it is left alone until `retry_at`. */
export type JitFaultTable = {
  library_id: number;
  media_id: Guid;
  rendition_id: Guid;
  segment: number;
  failures: number;
  retry_at: Date;
  reason: string;
};
