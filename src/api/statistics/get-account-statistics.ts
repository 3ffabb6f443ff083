import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { loadBandwidth } from '../../catalog/statistics/reports/load-bandwidth-store.ts';
import { DAY_MS, rangeOf, type StatisticsRange } from '../../catalog/statistics/sums/statistics-range.ts';
import { defineOperation } from '../define-operation.ts';
import { StatisticsModel } from '../models/statistics-model.ts';
import { ONLY_REGION_ID } from '../only-region-id.ts';
import { NoParams } from '../read-params.ts';
import { queryFlag, queryText, requireOrder } from '../read-query.ts';

/** Value of a filter that selects everything. */
const ALL = -1;

const Id = () => Type.Integer({ default: ALL, minimum: ALL });

/**
 * Delivery of the whole account. The edges count bytes by hour, but neither requests nor cache hits: there is no cache
 * apart from the origin. The `load…` parameters select charts in the hosted API. All charts that exist are returned.
 */
export const getAccountStatistics = defineOperation({
  name: 'getAccountStatistics',
  method: 'GET',
  path: '/statistics',
  description:
    'Returns the bytes delivered by all pull zones, or by one, by UTC day or hour. Without `dateFrom`, it covers the ' +
    'last 30 days. Values that are not counted are 0, and their charts are empty.',
  auth: 'account-key',
  permission: 'account.manage',
  params: NoParams,
  query: Type.Object({
    dateFrom: queryText(),
    dateTo: queryText(),
    pullZone: Id(),
    serverZoneId: Id(),
    hourly: queryFlag(false),
    exactRange: queryFlag(false),
    loadErrors: queryFlag(false),
    loadOriginResponseTimes: queryFlag(false),
    loadOriginTraffic: queryFlag(false),
    loadRequestsServed: queryFlag(false),
    loadBandwidthUsed: queryFlag(false),
    loadOriginShieldBandwidth: queryFlag(false),
    loadGeographicTrafficDistribution: queryFlag(false),
    loadUserBalanceHistory: queryFlag(false),
  }),
  answer: StatisticsModel,
  errorShape: 'core',
  async run({ query }, { db }: { db: Db }) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const asked = rangeOf(query, Date.now());
    const range = query.hourly && !query.exactRange ? toWholeDays(asked) : asked;
    const isElsewhere = ![ALL, ONLY_REGION_ID].includes(query.serverZoneId);
    const chart = await loadBandwidth(db, isElsewhere ? 0 : idOf(query.pullZone), range);
    const total = Object.values(chart).reduce((sum, bytes) => sum + bytes, 0);
    return { ...NOT_COUNTED, TotalBandwidthUsed: total, BandwidthUsedChart: chart };
  },
});

const idOf = (pullZone: number) => (pullZone === ALL ? null : pullZone);

/** Extends a range by hours to the days that it touches, up to the end of the current hour. */
function toWholeDays({ fromMs, toMs, stepMs }: StatisticsRange): StatisticsRange {
  const endMs = Math.ceil(toMs / DAY_MS) * DAY_MS;
  const nowMs = (Math.floor(Date.now() / stepMs) + 1) * stepMs;
  return { fromMs: Math.floor(fromMs / DAY_MS) * DAY_MS, toMs: Math.max(toMs, Math.min(endMs, nowMs)), stepMs };
}

const NOT_COUNTED = {
  TotalOriginTraffic: 0,
  AverageOriginResponseTime: 0,
  OriginResponseTimeChart: {},
  TotalRequestsServed: 0,
  CacheHitRate: 0,
  BandwidthCachedChart: {},
  CacheHitRateChart: {},
  RequestsServedChart: {},
  PullRequestsPulledChart: {},
  OriginShieldBandwidthUsedChart: {},
  OriginShieldInternalBandwidthUsedChart: {},
  OriginTrafficChart: {},
  UserBalanceHistoryChart: {},
  GeoTrafficDistribution: {},
  Error3xxChart: {},
  Error4xxChart: {},
  Error5xxChart: {},
};
