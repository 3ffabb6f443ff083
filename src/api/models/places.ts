import { type Static, Type } from 'typebox';
import { double, flag, int32, int64, model, nullable, text } from './fields.ts';

/** A country, as clients show it in lists. */
export const CountryModel = model('CountryModel', {
  Name: text(),
  IsoCode: text(),
  IsEU: flag(),
  TaxRate: double(),
  TaxPrefix: nullable(text()),
  FlagUrl: nullable(text()),
  PopList: Type.Array(text()),
});
export type CountryModel = Static<typeof CountryModel>;

export const CountryList = Type.Array(CountryModel, { title: 'CountryList' });

/** A location from which files are delivered. */
export const RegionModel = model('RegionModel', {
  Id: int64(),
  Name: nullable(text()),
  PricePerGigabyte: double(),
  RegionCode: nullable(text()),
  ContinentCode: nullable(text()),
  CountryCode: nullable(text()),
  Latitude: double(),
  Longitude: double(),
  AllowLatencyRouting: flag(),
});

export const RegionList = Type.Array(RegionModel, { title: 'RegionList' });

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
