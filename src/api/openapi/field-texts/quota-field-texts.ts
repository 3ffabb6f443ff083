import type { FieldTexts } from './field-texts.ts';

const RESOURCES = {
  storageBytes: 'Stored bytes of all videos, including originals and the trash.',
  encodedMinutesPerMonth:
    'Minutes of video that encoders made this month, summed over resolutions and codecs, rounded down.',
  concurrentLiveStreams: 'Live streams with a publisher.',
  concurrentViewers: 'Viewers with playback in the last half minute.',
  bandwidthBytesPerMonth: 'Bytes that the edges sent this month.',
};

/** Descriptions of the fields of quotas. */
export const QUOTA_FIELD_TEXTS: FieldTexts = {
  QuotasModel: { month: 'Current month in UTC, `yyyy-MM`.', ...RESOURCES },
  UpdateQuotasModel: RESOURCES,
  UsageModel: {
    months: 'Calendar months in UTC, the oldest first and the current one last, from the first recorded use.',
    forecast: 'Expected values at the end of the current month.',
  },
  MonthUsageModel: {
    month: 'Month in UTC, `yyyy-MM`.',
    storageBytes: 'Stored bytes at the last measurement of the month, now in the current one. Null if not measured.',
    encodedMinutes: 'Minutes of video that encoders made, summed over resolutions and codecs, rounded down.',
    bandwidthBytes: 'Bytes that the edges sent.',
  },
  UsageForecastModel: {
    month: 'Current month in UTC, `yyyy-MM`.',
    storageBytes: 'Stored bytes at the end of the month, if storage keeps growing as in this month.',
    encodedMinutes:
      'Minutes at the end of the month, at the pace of this month and, early in it, of the last one, rounded down.',
    bandwidthBytes: 'Bytes at the end of the month, at the same pace.',
  },
  QuotaModel: {
    limit: 'Limit in the unit of the resource. 0 permits nothing.',
    mode: '`soft` only warns; `hard` also refuses.',
  },
  QuotaStateModel: {
    limit: 'Limit in the unit of the resource; null if there is none.',
    mode: '`soft` only warns; `hard` also refuses. Null without a limit.',
    used: 'Current use in the unit of the resource.',
    percent: 'Use in whole percent of the limit, rounded down. It may be above 100. Null without a limit.',
  },
};
