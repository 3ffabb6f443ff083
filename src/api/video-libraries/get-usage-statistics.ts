import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { countLicences } from '../../catalog/drm/licence-count-store.ts';
import type { LibraryViewStore } from '../../catalog/libraries/library-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { DrmStatisticsModel, TranscribingStatisticsModel } from '../models/account.ts';
import { maybe, requireOrder } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';

const DAY_MS = 24 * 3_600_000;
const USUAL_DAYS = 30;
const MAX_DAYS = 366;

type Deps = { libraryViews: LibraryViewStore; db: Db };
type Days = { dateFrom?: string; dateTo?: string };

const COMMON = {
  method: 'GET',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  query: Type.Object({ dateFrom: maybe.dateTime(), dateTo: maybe.dateTime() }),
  refusals: { 'not-found': 404 },
  errorShape: 'core',
} as const;

export const getDrmStatistics = defineOperation({
  ...COMMON,
  name: 'getDrmStatistics',
  summary: 'Get DRM statistics',
  path: '/videolibrary/{id}/drm/statistics',
  description: 'Returns the number of Widevine, PlayReady and FairPlay licences issued for a library, by UTC day.',
  answer: DrmStatisticsModel,
  async run({ params: { id }, query }, { libraryViews, db }: Deps) {
    await libraryViews.load(id);
    const days = readDays(query);
    const issued = await countLicences(db, id, { from: days[0] ?? '', to: days.at(-1) ?? '' });
    const { total, chart } = chartOf(days, issued);
    return { TotalLicensesIssued: total, LicensesIssuedChart: chart };
  },
});

/** The service does not count transcribed minutes yet, so all values are zero. */
export const getTranscribingStatistics = defineOperation({
  ...COMMON,
  name: 'getTranscribingStatistics',
  path: '/videolibrary/{id}/transcribing/statistics',
  description:
    'Returns the transcribed seconds of a library, by UTC day. This version does not count them, so all values are ' +
    '0.',
  answer: TranscribingStatisticsModel,
  async run({ params: { id }, query }, { libraryViews }: Deps) {
    await libraryViews.load(id);
    const { total, chart } = chartOf(readDays(query), new Map());
    return { TotalTranscriptionSeconds: total, TranscriptionSecondsChart: chart };
  },
});

/**
 * Returns the requested UTC days as `yyyy-MM-dd`, at most a year. Default: the last 30 days, unless the query has both
 * ends.
 */
function readDays({ dateFrom, dateTo }: Days): string[] {
  requireOrder({ ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) }, 'dateFrom', 'dateTo');
  const end = dateTo === undefined ? Date.now() : Date.parse(dateTo);
  const start = dateFrom === undefined ? end - USUAL_DAYS * DAY_MS : Date.parse(dateFrom);
  const [first, last] = [Math.floor(start / DAY_MS), Math.floor(end / DAY_MS)];
  const count = Math.min(Math.max(last - first + 1, 0), MAX_DAYS);
  return Array.from({ length: count }, (_, index) => dayOf(last - count + 1 + index));
}

function dayOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function chartOf(days: readonly string[], counts: ReadonlyMap<string, number>) {
  const chart = Object.fromEntries(days.map((day) => [`${day}T00:00:00Z`, counts.get(day) ?? 0]));
  return { total: Object.values(chart).reduce((sum, count) => sum + count, 0), chart };
}
