import type { Guid } from '../../lib/guid.ts';
import type { ImportedOrder } from '../collections/video-order.ts';
import type { ImportedThread } from '../comments/imported-thread.ts';
import type { Chapter, MetaTag, Moment } from '../schema.ts';
import { DAY_MS, MAX_BUCKETS } from '../statistics/sums/statistics-range.ts';
import type { Visibility } from '../visibility.ts';

/** A file of the source. `address` is relative to the CDN, storage or API, depending on the source. */
export type ImportFile = { kind: string; address: string };
/** Generated captions have their origin. `translatedFrom` is the language of the captions that were translated. */
export type ImportCaption = { srclang: string; label: string; address: string } & CaptionOrigin;
export type CaptionOrigin = { origin?: 'speech'; translatedFrom?: string };

/** Maximum views, and maximum watch time in s, of a video on one day. Sums of many days stay exact numbers. */
export const MAX_DAY_VIEWS = 1e10;
export const MAX_DAY_SEC = 1e12;

/** Views and watch time of a UTC day. */
export type ImportedDay = { dayMs: number; views: number; watchSec: number };

/** Properties of a video at its source that the import keeps. Sizes and lengths are null if the source has none. */
export type ImportedVideo = {
  description: string | null;
  category: string | null;
  collectionId: Guid | null;
  isPublic: boolean;
  /** Absent in imports that older versions listed, which are public. */
  visibility?: Visibility;
  /** ISO 8601, or null for now. */
  uploadedAt: string | null;
  views: number;
  watchSec: number;
  /** Charts of the statistics. Absent if the source has none. */
  days?: ImportedDay[];
  chapters: Chapter[];
  moments: Moment[];
  metaTags: MetaTag[];
  captions: ImportCaption[];
  thumbnail: string | null;
  /** Time of the chosen frame of the thumbnail. Absent in imports that older versions listed. */
  thumbnailTimeMs?: number | null;
  comments: ImportedThread[];
  /** File with the comments, for a source that reads it with the other files. */
  commentsFile: string | null;
  /** True if the source could not process its file either. */
  hasFailed: boolean;
  /** Candidates for the file, best first. */
  files: ImportFile[];
};

/** An entry of a source: a collection or a video. `obstacle` is the reason why it cannot be imported. */
export type ListedItem = { sourceId: string; id: Guid; title: string } & (
  | { kind: 'collection'; order: ImportedOrder | null }
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

/**
 * Reads days in the form of exports, at most as many as charts have. Leaves out other entries, days in the future,
 * repeated days and impossible numbers.
 */
export function readDays(list: readonly unknown[]): ImportedDay[] {
  const days = new Map<number, ImportedDay>();
  for (const entry of list) {
    if (days.size === MAX_BUCKETS) break;
    const { day, views, watchTime } = Object(entry);
    const dayMs = /^\d{4}-\d{2}-\d{2}$/.test(String(day)) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
    if (Number.isNaN(dayMs) || dayMs > Date.now() + DAY_MS || days.has(dayMs)) continue;
    const isPossible = Number.isSafeInteger(views) && Number.isSafeInteger(watchTime) && views >= 0 && watchTime >= 0;
    if (isPossible && views <= MAX_DAY_VIEWS && watchTime <= MAX_DAY_SEC) {
      days.set(dayMs, { dayMs, views, watchSec: watchTime });
    }
  }
  return [...days.values()];
}
