import type { ColumnType } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';

/**
 * A page that shows one video, or the videos of one collection, to everyone who has its link. `token_hash` finds it,
 * `token_sealed` restores its link.
 */
export type ShareTable = {
  id: Guid;
  library_id: number;
  media_id: Guid | null;
  collection_id: Guid | null;
  token_hash: Buffer;
  token_sealed: Buffer;
  password_hash: string | null;
  allows_download: boolean;
  expires_at: ColumnType<Date | null, Date | null, Date | null>;
  created_by: string;
  created_at: CreatedAt;
};
