import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/**
 * The one row with the progress of the scrub; no place means the beginning of a round. Counts are of this round, or the
 * last one.
 */
export type ScrubTable = {
  id: Generated<number>;
  library_id: number | null;
  media_id: Guid | null;
  rendition_id: Guid | null;
  first_segment: number | null;
  round_began_at: Generated<Date>;
  objects_seen: Generated<number>;
  bytes_seen: Generated<number>;
  objects_damaged: Generated<number>;
  /** Skipped, because they could not be read completely. */
  objects_unread: Generated<number>;
};
