import type { Guid } from '../../lib/guid.ts';
import type { Visibility } from '../visibility.ts';

/**
 * Actions that an operation can apply to each of its videos. `restore` undoes `trash`, `move` and `visibility`;
 * `delete` cannot be undone.
 */
export const BULK_KINDS = [
  'move',
  'visibility',
  'trash',
  'restore',
  'delete',
  'reencode',
  'retry',
  'cancel',
  'transcribe',
] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/** Maximum number of videos in one operation. */
export const MAX_BULK_ITEMS = 1_000_000;
/** Number of days for which reports are kept. */
export const BULK_KEPT_DAYS = 30;

/** Progress of an operation, and the first videos for which it failed. */
export type BulkReport = {
  id: Guid;
  libraryId: number;
  kind: BulkKind;
  collectionId: Guid | null;
  visibility: Visibility | null;
  total: number;
  done: number;
  failed: number;
  createdAt: Date;
  endedAt: Date | null;
  failures: readonly { videoId: Guid; title: string | null; reason: string }[];
};
