import type { AudienceModel } from '../../../src/api/models/audience.ts';
import { t } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { prefix } from '../base/router.ts';
import { amount, bytes, clock, plural } from '../base/words.ts';
import { deviceName } from './device-name.ts';
import { Shares } from './shares.tsx';
import { total } from './total.ts';

const REFRESH_MS = 10_000;

/** Audience and playback quality of a library or one of its videos. `query` is the query of the statistics. */
export function Audience({ libraryId, query }: { libraryId: number; query: string }) {
  const { value, again } = useLoaded<AudienceModel>(`/library/${libraryId}/statistics/audience?${query}`);
  useRefresh(again, REFRESH_MS);
  const found = value.value;
  if (found === null || isEmpty(found)) return null;
  const referrers = found.referrers.map(({ name, views }) => ({ name: name || t('No referrer'), views }));
  const devices = found.devices.map(({ name, views }) => ({ name: deviceName(name), views }));
  return (
    <>
      {found.retention !== null && <Retention percents={found.retention} average={found.libraryRetention} />}
      <div class="columns">
        <section class="panel">
          <h2>{t('Audience')}</h2>
          <dl class="audience">
            {factsOf(found).map(([term, words]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </section>
        <Shares title={t('Devices')} rows={devices} />
        <Shares title={t('Referring pages')} rows={referrers} />
      </div>
    </>
  );
}

function factsOf(found: AudienceModel): [string, string][] {
  const { startup, rebuffering, failures, estimated, renditions } = found;
  const watched = renditions.reduce((sum, { watchTime }) => sum + watchTime, 0);
  const stalled = watched === 0 ? '' : t(', {0}% of the time', amount((rebuffering.seconds * 100) / watched, 1));
  return [
    [t('Watching now'), amount(found.viewersNow)],
    [t('Unique viewers per day'), amount(found.uniqueViewers)],
    [t('Startup time'), startup.p50Ms === null ? t('not measured yet') : startupWords(startup)],
    [t('Views with rebuffering'), `${amount(rebuffering.views)}${stalled}`],
    [t('Views with an error'), amount(failures.views)],
    [
      t('Resolutions watched'),
      renditions.map(({ height, watchTime }) => `${height}p ${clock(watchTime)}`).join(', ') || '–',
    ],
    [t('Delivered'), bytes(found.bytesSent)],
    [t('Other players (estimated)'), estimateWords(estimated)],
  ];
}

function startupWords({ p50Ms, p95Ms }: AudienceModel['startup']): string {
  const seconds = (ms: number | null) => amount((ms ?? 0) / 1000, 1);
  return t('median {0} s, 95th percentile {1} s', seconds(p50Ms), seconds(p95Ms));
}

function estimateWords({ viewsChart, watchTimeChart }: AudienceModel['estimated']): string {
  return `${plural(total(viewsChart), 'view')}, ${clock(total(watchTimeChart))}`;
}

/** Returns whether nobody watched. */
function isEmpty({ viewersNow, uniqueViewers, devices, estimated, bytesSent }: AudienceModel): boolean {
  const isUnseen = viewersNow === 0 && uniqueViewers === 0 && devices.length === 0;
  return isUnseen && total(estimated.viewsChart) === 0 && bytesSent === 0;
}

type RetentionProps = { percents: readonly number[]; average: AudienceModel['libraryRetention'] };

/** Share of the audience that played each part of a video, next to the average of the library. */
function Retention({ percents, average }: RetentionProps) {
  const [first = 0, last = 0] = [percents[0], percents.at(-1)];
  const atEnd =
    average === null
      ? t('{0}% at the end', last)
      : t('{0}% at the end, {1}% on average', last, average.percents.at(-1) ?? 0);
  return (
    <section class="panel">
      <h2>{t('Audience retention')}</h2>
      <svg class="bars" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={atEnd}>
        <path d={`M0,32 L0,${heightOf(first)} ${lineOf(percents)} L100,${heightOf(last)} L100,32Z`} />
        {average !== null && (
          <path class="average" d={`M0,${heightOf(average.percents[0] ?? 0)} ${lineOf(average.percents)}`} />
        )}
      </svg>
      <p class="hint scale">
        <span>{t('Beginning')}</span>
        <span>{atEnd}</span>
      </p>
      <p class="hint">
        {average === null
          ? t('As soon as another video has five views, the average of the library is shown here for comparison.')
          : average.videos === 1
            ? t('The dashed line is the other video with at least five views, compared by part of its length.')
            : t(
                'The dashed line is the average of {0} other videos, each compared by part of its length.',
                average.videos,
              )}
      </p>
    </section>
  );
}

function heightOf(percent: number): string {
  return (31 - percent * 0.3).toFixed(2);
}

function lineOf(percents: readonly number[]): string {
  const step = 100 / Math.max(1, percents.length);
  return percents.map((percent, index) => `L${((index + 0.5) * step).toFixed(2)},${heightOf(percent)}`).join(' ');
}

/** Downloads all statistics as CSV. */
export function DownloadCsv({ libraryId, query }: { libraryId: number; query: string }) {
  return (
    <a class="button" href={`${prefix}/library/${libraryId}/statistics/export?${query}`} download="statistics.csv">
      {t('Download CSV')}
    </a>
  );
}
