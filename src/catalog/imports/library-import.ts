import type { Guid } from '../../lib/guid.ts';
import type { SettingsReport } from './settings-report.ts';

/**
 * Sources from which videos can be imported. The items of `upload` are in the request, and their files are uploaded.
 */
export const IMPORT_SOURCES = [
  'bunny',
  'millrace',
  's3',
  'peertube',
  'mux',
  'cloudflare',
  'vimeo',
  'mediacms',
  'upload',
] as const;
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

/** Reason of an item whose video exists, because an import created it. */
export const ALREADY_HERE = 'An earlier import imported this video.';

export type ImportItemKind = 'collection' | 'video';
export type ImportKey = { libraryId: number; importId: Guid };
/** The right to work on an import. A later tick fences an earlier one. */
export type ImportTick = ImportKey & { tick: number };

/** `fetching`: the video exists here, and its file is being transferred. The last three are outcomes. */
export const ITEM_STATES = ['waiting', 'fetching', 'imported', 'skipped', 'failed'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Default and maximum number of files that one import transfers at once. */
export const DEFAULT_IMPORT_CONCURRENCY = 3;
export const MAX_IMPORT_CONCURRENCY = 20;
/** Minimum rate of one transfer. An origin that is slower is refused. */
const MIN_TRANSFER_BYTES_PER_SEC = 4_096;

/** Divides the bandwidth of an import by its transfers. There are fewer of them if each would be too slow. */
export function shareBandwidth(wanted: { concurrency: number; maxBytesPerSec: number | null }): typeof wanted {
  const { concurrency: most, maxBytesPerSec: limit } = wanted;
  if (limit === null) return { concurrency: most, maxBytesPerSec: null };
  const concurrency = Math.max(1, Math.min(most, Math.floor(limit / MIN_TRANSFER_BYTES_PER_SEC)));
  return { concurrency, maxBytesPerSec: Math.floor(limit / concurrency) };
}

/** Maximum number of items in one import. */
export const MAX_IMPORT_ITEMS = 1_000_000;

/** Reason of an import whose list is full. */
export const LIST_FULL =
  `An import has at most ${MAX_IMPORT_ITEMS} items. If the source has more, the others were left out. Import it in ` +
  'parts, such as with prefix= or account=.';

/**
 * Number of items by state, the bytes and seconds of videos that are not skipped, the bytes of those that wait or are
 * imported, and the number of waiting videos whose size the source does not state.
 */
export type ImportCounts = Record<ItemState, number> & {
  total: number;
  sizeBytes: number;
  durationSec: number;
  openBytes: number;
  importedBytes: number;
  unknownSizes: number;
};

export type ImportReport = {
  id: Guid;
  libraryId: number;
  source: ImportSourceName;
  address: string;
  state: ImportState;
  isDryRun: boolean;
  concurrency: number;
  /** Maximum bytes per second of all transfers together, or null for no limit. */
  maxBytesPerSec: number | null;
  /** Whether the copy of a file that the library already has is removed again. */
  skipsDuplicates: boolean;
  /** Whether videos and collections get other GUIDs than at the source. */
  makesNewGuids: boolean;
  /** Settings of the source. Null before they were read, and if the source has none. */
  settings: SettingsReport | null;
  /** Estimated time until the end, in s, or null if it cannot be estimated. */
  remainingSec: number | null;
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
  durationSec: number | null;
  /** Size that the origin stated at the transfer. */
  fileBytes: number | null;
  /** The video here, or null if the item is not imported or its video was deleted. */
  stored: StoredVideo | null;
  state: ItemState;
  reason: string | null;
  isRetryable: boolean;
  notes: string[];
};

/** Facts about the video of an imported item. `sizeBytes` is null without a stored original. */
export type StoredVideo = { sizeBytes: number | null; durationMs: number; state: string };

/**
 * Result of comparing an imported video with its source: `same` size, duration and playable, `different`, `unplayable`,
 * `pending` while it is encoded, or `deleted`.
 */
export const ITEM_CHECKS = ['same', 'different', 'unplayable', 'pending', 'deleted'] as const;
export type ItemCheck = (typeof ITEM_CHECKS)[number];

/** Sources state durations in whole seconds, and containers may count the last frame differently. */
const MAX_DURATION_DIFFERENCE_SEC = 2;

/** Compares an item with its video. Null for a collection and for an item that is not imported. */
export function checkItem({ kind, state, stored, fileBytes, durationSec }: ItemReport): ItemCheck | null {
  if (kind !== 'video' || state !== 'imported') return null;
  if (stored === null) return 'deleted';
  if (stored.state === 'failed' || stored.state === 'upload-failed') return 'unplayable';
  if (fileBytes !== null && stored.sizeBytes !== null && fileBytes !== stored.sizeBytes) return 'different';
  const differenceSec = durationSec === null ? 0 : Math.abs(durationSec - stored.durationMs / 1000);
  if (stored.durationMs > 0 && differenceSec > MAX_DURATION_DIFFERENCE_SEC) return 'different';
  return stored.state === 'finished' || stored.state === 'jit-ready' ? 'same' : 'pending';
}
