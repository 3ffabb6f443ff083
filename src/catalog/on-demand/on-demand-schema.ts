import type { ColumnType } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

type SetByDefault = ColumnType<Date, Date | undefined, Date>;

/**
 * A request of one edge's viewers: `segment` of a rendition, which one of them waits for (`is_awaited`) or has just
 * received, and `ahead_segments` after it. It expires unless the edge renews it.
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
