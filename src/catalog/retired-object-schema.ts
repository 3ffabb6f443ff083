import type { Guid } from '../lib/guid.ts';
import type { StorageKey } from '../ports/storage.ts';
import type { CreatedAt } from './account-schema.ts';

/** An object that no row references any more, kept until its readers are done. */
export type RetiredObjectTable = {
  storage_key: StorageKey;
  library_id: number;
  media_id: Guid;
  size_bytes: number;
  retired_at: CreatedAt;
};
