import type { Audience, Share } from '../../catalog/statistics/reports/audience-store.ts';
import type { AudienceModel } from '../models/audience.ts';

export function toAudienceModel(audience: Audience): AudienceModel {
  const { uniqueViewersChart, viewersNow, startup, rebuffering, failures, estimated, bytesChart } = audience;
  const { retention, libraryRetention } = audience;
  return {
    uniqueViewers: total(uniqueViewersChart),
    uniqueViewersChart,
    viewersNow,
    devices: audience.devices.map(toShare),
    referrers: audience.referrers.map(toShare),
    renditions: audience.renditions.map(({ heightPx, views, watchSec }) => {
      return { height: heightPx, views, watchTime: watchSec };
    }),
    startup,
    rebuffering,
    failures,
    retention,
    libraryRetention,
    estimated,
    discarded: { views: audience.discarded.views, watchTime: audience.discarded.watchSec },
    bytesSent: total(bytesChart),
    bytesChart,
  };
}

function toShare({ name, views, watchSec }: Share) {
  return { name, views, watchTime: watchSec };
}

function total(chart: Readonly<Record<string, number>>): number {
  return Object.values(chart).reduce((sum, value) => sum + value, 0);
}
