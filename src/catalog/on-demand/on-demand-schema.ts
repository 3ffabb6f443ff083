import type { ColumnType } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

type SetByDefault = ColumnType<Date, Date | undefined, Date>;

/**
 * Segments that one edge requests for its viewers: `segment` of a rendition, which a viewer waits for (`is_awaited`) or
 * has just received, and the next `ahead_segments` segments. It expires unless the edge renews it.
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
