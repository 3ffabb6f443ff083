import type { Guid } from '../../lib/guid.ts';

/** What is done to each video of an operation. `trash` and `move` can be undone by `restore`, `delete` cannot. */
export const BULK_KINDS = ['move', 'trash', 'restore', 'delete', 'reencode', 'retry', 'cancel', 'transcribe'] as const;
export type BulkKind = (typeof BULK_KINDS)[number];

/** The videos that one operation names at most. */
export const MOST_BULK_ITEMS = 1_000_000;
/** Reports are kept this long. */
export const BULK_KEPT_DAYS = 30;

/** How far an operation has come, and which videos it could not be done to; the first of them. */
export type BulkReport = {
  id: Guid;
  libraryId: number;
  kind: BulkKind;
  collectionId: Guid | null;
  total: number;
  done: number;
  failed: number;
  createdAt: Date;
  endedAt: Date | null;
  failures: readonly { videoId: Guid; title: string | null; reason: string }[];
};
