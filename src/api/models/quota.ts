import { type Static, Type } from 'typebox';
import { double, int32, int64, model, nullable, text, words } from './fields.ts';

/** An amount of a resource. Larger numbers are not exact in JavaScript. */
const amount = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const QuotaMode = words('QuotaMode', ['soft', 'hard']);

/** The limit of a resource and its use. Not part of the hosted API, like the other models of quotas. */
export const QuotaStateModel = model('QuotaStateModel', {
  limit: nullable(Type.Integer()),
  mode: nullable(QuotaMode),
  used: Type.Integer(),
  percent: nullable(int32()),
});
export type QuotaStateModel = Static<typeof QuotaStateModel>;

export const QuotasModel = model('QuotasModel', {
  month: text(),
  storageBytes: QuotaStateModel,
  encodedMinutesPerMonth: QuotaStateModel,
  concurrentLiveStreams: QuotaStateModel,
  concurrentViewers: QuotaStateModel,
  bandwidthBytesPerMonth: QuotaStateModel,
});
export type QuotasModel = Static<typeof QuotasModel>;

export const QuotaModel = model('QuotaModel', { limit: amount(), mode: QuotaMode });
export type QuotaModel = Static<typeof QuotaModel>;

const change = () => Type.Optional(nullable(QuotaModel));

export const UpdateQuotasModel = model('UpdateQuotasModel', {
  storageBytes: change(),
  encodedMinutesPerMonth: change(),
  concurrentLiveStreams: change(),
  concurrentViewers: change(),
  bandwidthBytesPerMonth: change(),
});
export type UpdateQuotasModel = Static<typeof UpdateQuotasModel>;

export const MonthUsageModel = model('MonthUsageModel', {
  month: text(),
  storageBytes: nullable(int64()),
  encodedMinutes: double(),
  bandwidthBytes: int64(),
});

export const UsageForecastModel = model('UsageForecastModel', {
  month: text(),
  storageBytes: int64(),
  encodedMinutes: double(),
  bandwidthBytes: int64(),
});

/** Use of a library by month, and the expected values at the end of the current one. Not part of the hosted API. */
export const UsageModel = model('UsageModel', {
  months: Type.Array(MonthUsageModel),
  forecast: UsageForecastModel,
});
export type UsageModel = Static<typeof UsageModel>;
