import type { Generated } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { CreatedAt } from '../account-schema.ts';
import type { Visibility } from '../visibility.ts';
import type { BulkKind } from './bulk-operation.ts';

/**
 * An operation on many videos of a library. `collection_id` is the target of `move`, `visibility` that of `visibility`.
 * `undoes` is the kind of the operation that this one reverts. `notes_places` is true if a move records each video's
 * previous collection.
 */
export type BulkOperationTable = {
  id: Guid;
  library_id: number;
  kind: BulkKind;
  collection_id: Guid | null;
  visibility: Visibility | null;
  undoes: Generated<BulkKind | null>;
  notes_places: Generated<boolean>;
  total: Generated<number>;
  done: Generated<number>;
  failed: Generated<number>;
  created_at: CreatedAt;
  ended_at: Date | null;
};

/**
 * A video of an operation, in processing order. `collection_before` is its collection before a move,
 * `visibility_before` its visibility before another one was set.
 */
export type BulkItemTable = {
  bulk_id: Guid;
  place: number;
  media_id: Guid;
  state: Generated<'waiting' | 'done' | 'failed'>;
  reason: string | null;
  collection_before: Generated<Guid | null>;
  visibility_before: Generated<Visibility | null>;
};
