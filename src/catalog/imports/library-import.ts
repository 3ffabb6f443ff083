import type { Guid } from '../../lib/guid.ts';
import type { Chapter, MetaTag, Moment } from '../schema.ts';

/** Places that videos can be imported from. The items of `upload` are in the request, and their files are uploaded. */
export const IMPORT_SOURCES = ['bunny', 'millrace', 'upload'] as const;
export type ImportSourceName = (typeof IMPORT_SOURCES)[number];

/**
 * `planned`: a dry run that listed everything. `cancelling`: no new item is started, and files in transfer are completed.
 * `failed`: the source could not be listed. A resumed import continues from any of the ended states.
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

/** `fetching`: the video exists here, and its file is on its way. The last three are outcomes. */
export const ITEM_STATES = ['waiting', 'fetching', 'imported', 'skipped', 'failed'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Default and maximum number of files that one import transfers at once. */
export const DEFAULT_IMPORT_CONCURRENCY = 3;
export const MAX_IMPORT_CONCURRENCY = 20;
/** Maximum number of items in one import. */
export const MAX_IMPORT_ITEMS = 1_000_000;

/** A file of the source. `address` is relative to the CDN, storage or API, as the source defines. */
export type ImportFile = { kind: string; address: string };
export type ImportCaption = { srclang: string; label: string; address: string };

/** Properties of a video at its source that the import keeps. Sizes and lengths are null if the source has none. */
export type ImportedVideo = {
  description: string | null;
  category: string | null;
  collectionId: Guid | null;
  isPublic: boolean;
  /** ISO 8601; null for now. */
  uploadedAt: string | null;
  views: number;
  watchSec: number;
  chapters: Chapter[];
  moments: Moment[];
  metaTags: MetaTag[];
  captions: ImportCaption[];
  thumbnail: string | null;
  /** Candidates for the file, best first. */
  files: ImportFile[];
};

/** An entry of a source: a collection or a video. `obstacle` is the reason why it cannot be imported. */
export type ListedItem = { sourceId: string; id: Guid; title: string } & (
  | { kind: 'collection' }
  | {
      kind: 'video';
      sizeBytes: number | null;
      durationSec: number | null;
      obstacle: { reason: string; isRetryable: boolean } | null;
      /** Properties that the import cannot keep, as sentences. */
      notes: string[];
      video: ImportedVideo;
    }
);

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
  kind: ListedItem['kind'];
  sourceId: string;
  title: string;
  targetId: Guid;
  sizeBytes: number | null;
  state: ItemState;
  reason: string | null;
  isRetryable: boolean;
  notes: string[];
};
