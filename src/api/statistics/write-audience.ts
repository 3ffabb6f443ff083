import type { Audience, Share } from '../../catalog/statistics/reports/audience-store.ts';
import type { Statistics } from '../../catalog/statistics/reports/statistics-store.ts';
import { csvLine } from '../csv-line.ts';

/** A line of the CSV: the measure, the start of its time bucket (or an empty string), its subject, and its value. */
type Figure = readonly [measure: string, time: string, name: string, value: number | null];

/**
 * Data of the CSV. `heat`: relative number of plays from 0 to 100, for parts of equal length, or null if the library
 * hides it.
 */
type Written = { statistics: Statistics; audience: Audience; heat: readonly number[] | null };

/** Writes all values as CSV with a header line: one table that a spreadsheet can pivot. Missing values are omitted. */
export function* writeAudience(written: Written): Generator<string> {
  yield csvLine(['measure', 'time', 'name', 'value']);
  for (const [measure, time, name, value] of figuresOf(written)) {
    if (value !== null) yield csvLine([measure, time, name, `${value}`]);
  }
}

function figuresOf({ statistics, audience, heat }: Written): Figure[] {
  const { startup, rebuffering, failures } = audience;
  return [
    ...charted('views', statistics.viewsChart),
    ...charted('watch_seconds', statistics.watchTimeChart),
    ...charted('unique_viewers', audience.uniqueViewersChart),
    ...charted('bytes_sent', audience.bytesChart),
    ...charted('estimated_views', audience.estimated.viewsChart),
    ...charted('estimated_watch_seconds', audience.estimated.watchTimeChart),
    ...named('country_views', statistics.countryViewCounts),
    ...named('country_watch_seconds', statistics.countryWatchTime),
    ...shared('device', audience.devices),
    ...shared('referrer', audience.referrers),
    ...audience.renditions.flatMap(({ heightPx, views, watchSec }): Figure[] => [
      ['rendition_views', '', `${heightPx}p`, views],
      ['rendition_watch_seconds', '', `${heightPx}p`, watchSec],
    ]),
    ['engagement_percent', '', '', statistics.engagementScore],
    ['startup_views', '', '', startup.measured],
    ['startup_ms', '', 'p50', startup.p50Ms],
    ['startup_ms', '', 'p75', startup.p75Ms],
    ['startup_ms', '', 'p95', startup.p95Ms],
    ['rebuffering_views', '', '', rebuffering.views],
    ['rebuffering_seconds', '', '', rebuffering.seconds],
    ['failed_views', '', '', failures.views],
    ['failures', '', '', failures.count],
    ['discarded_views', '', '', audience.discarded.views],
    ['discarded_watch_seconds', '', '', audience.discarded.watchSec],
    ['viewers_now', '', '', audience.viewersNow],
    ...(audience.retention ?? []).map((percent, point): Figure => ['retention_percent', '', `${point}`, percent]),
    ...(audience.libraryRetention?.percents ?? []).map(
      (percent, point): Figure => ['library_retention_percent', '', `${point}`, percent],
    ),
    ...(heat ?? []).map((percent, stretch): Figure => ['heat_percent', '', `${stretch}`, percent]),
  ];
}

function charted(measure: string, chart: Readonly<Record<string, number>>): Figure[] {
  return Object.entries(chart).map(([time, value]) => [measure, time, '', value]);
}

function named(measure: string, counts: Readonly<Record<string, number>>): Figure[] {
  return Object.entries(counts).map(([name, value]) => [measure, '', name, value]);
}

function shared(measure: string, shares: readonly Share[]): Figure[] {
  return shares.flatMap(({ name, views, watchSec }): Figure[] => [
    [`${measure}_views`, '', name, views],
    [`${measure}_watch_seconds`, '', name, watchSec],
  ]);
}
