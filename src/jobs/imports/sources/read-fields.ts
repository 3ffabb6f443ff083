import { readThreads } from '../../../catalog/comments/imported-thread.ts';
import {
  type ImportedDay,
  type ImportedVideo,
  MAX_DAY_SEC,
  MAX_DAY_VIEWS,
} from '../../../catalog/imports/listed-item.ts';
import type { Chapter, Moment } from '../../../catalog/schema.ts';
import { DAY_MS, MAX_BUCKETS } from '../../../catalog/statistics/sums/statistics-range.ts';
import { readVisibility, type Visibility } from '../../../catalog/visibility.ts';
import { cleanText } from '../../../lib/clean-text.ts';
import { readLine } from '../../../lib/visible-text.ts';

/** Fields of a JSON object of a source, which may have any type. */
export type Fields = Record<string, unknown>;

/** Maximum length that the database can store. */
export const MAX_INT32 = 2 ** 31 - 1;

export const fieldsOf = (value: unknown): Fields => ({ ...Object(value) });
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const textOf = (value: unknown): string | null => (typeof value === 'string' && cleanText(value)) || null;
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)))
    : 0;
/** Returns a size or length, or null if the source states none. */
export const sizeOf = (value: unknown): number | null => countOf(value) || null;
export const secOf = (value: unknown): number | null => sizeOf(Math.min(MAX_INT32, countOf(value)));
const markOf = (value: unknown): number => Math.min(MAX_INT32, countOf(value));
/** Returns a time in a video in ms, or null for anything else. */
export const momentOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_INT32 ? Math.round(value) : null;
export const titleOf = (value: unknown, id: string): string => readLine(textOf(value) ?? '') || id;

/** Parses a date in ISO 8601. Without a time zone, it is UTC. Dates before 1970, such as 0001-01-01, mean none. */
export function timeOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === null) return null;
  const ms = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`);
  return ms >= 0 ? new Date(ms).toISOString() : null;
}

/** Returns the id at the source and the tags as meta tags, so that both can be found later. */
export function tagsOf(idName: string, id: string, tags: readonly (string | null)[]): ImportedVideo['metaTags'] {
  const keywords = tags.filter((tag) => tag !== null).join(', ');
  return [{ property: idName, value: id }, ...(keywords === '' ? [] : [{ property: 'keywords', value: keywords }])];
}

/** Returns chapters that end where the next one begins. Titles and starts in s. */
export function chaptersOf(
  marks: readonly { title: string | null; start: number }[],
  durationSec: number | null,
): Chapter[] {
  const sorted = marks.toSorted((a, b) => a.start - b.start);
  return sorted.map(({ title, start }, index) => ({
    title: title ?? `${index + 1}`,
    start,
    end: Math.max(start, sorted[index + 1]?.start ?? durationSec ?? start),
  }));
}

/** Returns chapters, moments and meta tags that have the names of our own API. */
export function marksOf({
  chapters,
  moments,
  metaTags,
}: Fields): Pick<ImportedVideo, 'chapters' | 'moments' | 'metaTags'> {
  return {
    chapters: listOf(chapters).map(
      ({ title, start, end }): Chapter => ({ title: textOf(title) ?? '', start: markOf(start), end: markOf(end) }),
    ),
    moments: listOf(moments).map(
      ({ label, timestamp }): Moment => ({ label: textOf(label) ?? '', timestamp: markOf(timestamp) }),
    ),
    metaTags: listOf(metaTags).map(({ property, value }) => ({
      property: textOf(property) ?? '',
      value: textOf(value) ?? '',
    })),
  };
}

/** Returns the charts of our own API as days, newest first. Leaves out days without views and watch time. */
export function daysOf({ viewsChart, watchTimeChart }: Fields): ImportedDay[] {
  const [views, watched] = [fieldsOf(viewsChart), fieldsOf(watchTimeChart)];
  const sums = new Map<number, ImportedDay>();
  for (const time of new Set([...Object.keys(views), ...Object.keys(watched)])) {
    const day = timeOf(time);
    const dayMs = day === null ? null : Math.floor(Date.parse(day) / DAY_MS) * DAY_MS;
    if (dayMs === null || dayMs > Date.now()) continue;
    const before = sums.get(dayMs) ?? { dayMs, views: 0, watchSec: 0 };
    const sum = {
      views: Math.min(MAX_DAY_VIEWS, before.views + countOf(views[time])),
      watchSec: Math.min(MAX_DAY_SEC, before.watchSec + countOf(watched[time])),
    };
    if (sum.views > 0 || sum.watchSec > 0) sums.set(dayMs, { dayMs, ...sum });
  }
  return [...sums.values()].toSorted((one, other) => other.dayMs - one.dayMs).slice(0, MAX_BUCKETS);
}

/** Returns review comments in the form of our own API, with a note about those that were left out. */
export function commentDetails(list: unknown): { details: Pick<ImportedVideo, 'comments'>; notes: string[] } {
  const { threads, leftOut } = readThreads(list);
  const notes = leftOut === 0 ? [] : [`${leftOut} review comments could not be imported.`];
  return { details: { comments: threads }, notes };
}

/** Returns the visibility with a name that a source uses. An unknown name counts as private. */
export function visibilityOf<Name extends string | number>(
  name: unknown,
  known: Readonly<Partial<Record<Name, Visibility>>>,
): Visibility {
  const found = Object.entries(known).find(([one]) => one === String(name))?.[1];
  return readVisibility(found) ?? 'private';
}

/** Returns a video without properties. */
export function emptyVideo(): ImportedVideo {
  return {
    description: null,
    category: null,
    collectionId: null,
    isPublic: false,
    visibility: 'public',
    uploadedAt: null,
    views: 0,
    watchSec: 0,
    chapters: [],
    moments: [],
    metaTags: [],
    captions: [],
    thumbnail: null,
    comments: [],
    commentsFile: null,
    hasFailed: false,
    files: [],
  };
}
