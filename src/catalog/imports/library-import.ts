import type { Guid } from '../../lib/guid.ts';

/**
 * Sources from which videos can be imported. The items of `upload` are in the request, and their files are uploaded.
 */
export const IMPORT_SOURCES = ['bunny', 'millrace', 'upload'] as const;
export type ImportSourceName = (typeof IMPORT_SOURCES)[number];

/**
 * `planned`: a dry run that listed everything. `cancelling`: no new item is started, and files in transfer are
 * completed. `failed`: the source could not be listed. A resumed import continues from any of the ended states.
 */
export const IMPORT_STATES = [
  'listing',
  'planned',
  'running',
  'cancelling',
  'cancelled',
  'finished',
  'failed',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

export type ImportItemKind = 'collection' | 'video';
export type ImportKey = { libraryId: number; importId: Guid };
/** The right to work on an import. A later tick fences an earlier one. */
export type ImportTick = ImportKey & { tick: number };

/** `fetching`: the video exists here, and its file is on its way. The last three are outcomes. */
export const ITEM_STATES = ['waiting', 'fetching', 'imported', 'skipped', 'failed'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Default and maximum number of files that one import transfers at once. */
export const DEFAULT_IMPORT_CONCURRENCY = 3;
export const MAX_IMPORT_CONCURRENCY = 20;
/** Maximum number of items in one import. */
export const MAX_IMPORT_ITEMS = 1_000_000;

/** Number of items by state, and the bytes and seconds of videos that are not skipped. */
export type ImportCounts = Record<ItemState, number> & { total: number; sizeBytes: number; durationSec: number };

export type ImportReport = {
  id: Guid;
  libraryId: number;
  source: ImportSourceName;
  address: string;
  state: ImportState;
  isDryRun: boolean;
  concurrency: number;
  reason: string | null;
  createdAt: Date;
  endedAt: Date | null;
  counts: ImportCounts;
};

export type ItemReport = {
  place: number;
  kind: ImportItemKind;
  sourceId: string;
  title: string;
  targetId: Guid;
  sizeBytes: number | null;
  state: ItemState;
  reason: string | null;
  isRetryable: boolean;
  notes: string[];
};
