import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';

/**
 * Single row with the progress of the scrub. Without a position, a new round begins. Counts cover the current round, or
 * the last one if none runs.
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
  /** Objects skipped because they could not be read completely. */
  objects_unread: Generated<number>;
};
