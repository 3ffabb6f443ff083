import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';
import type { VideoOrder } from './video-order.ts';

export type CollectionTable = {
  library_id: number;
  id: Guid;
  name: string;
  video_count: Generated<number>;
  created_at: CreatedAt;
  video_order: Generated<VideoOrder>;
  /** Ids in the order that editors chose. Ids of videos that have left the collection have no effect. */
  manual_order: Generated<Guid[]>;
};
