import { Type } from 'typebox';
import { double, int32, int64, model } from './fields.ts';

/** Keys are the beginnings of UTC days or hours, `yyyy-MM-ddTHH:mm:ssZ`. */
const Chart = () => Type.Record(Type.String(), double());

/** Delivery of all pull zones, or of one. Charts of values that are not counted are empty. */
export const StatisticsModel = model('StatisticsModel', {
  TotalBandwidthUsed: int64(),
  TotalOriginTraffic: int64(),
  AverageOriginResponseTime: int32(),
  OriginResponseTimeChart: Chart(),
  TotalRequestsServed: int64(),
  CacheHitRate: double(),
  BandwidthUsedChart: Chart(),
  BandwidthCachedChart: Chart(),
  CacheHitRateChart: Chart(),
  RequestsServedChart: Chart(),
  PullRequestsPulledChart: Chart(),
  OriginShieldBandwidthUsedChart: Chart(),
  OriginShieldInternalBandwidthUsedChart: Chart(),
  OriginTrafficChart: Chart(),
  UserBalanceHistoryChart: Chart(),
  GeoTrafficDistribution: Type.Record(Type.String(), int64()),
  Error3xxChart: Chart(),
  Error4xxChart: Chart(),
  Error5xxChart: Chart(),
});
