import type { AudienceModel } from '../../../src/api/models/audience.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { prefix } from '../base/router.ts';
import { amount, bytes, clock, plural } from '../base/words.ts';
import { Shares } from './shares.tsx';

const REFRESH_MS = 10_000;

/** Audience and playback quality of a library or one of its videos. `query` is the query of the statistics. */
export function Audience({ libraryId, query }: { libraryId: number; query: string }) {
  const { value, again } = useLoaded<AudienceModel>(`/library/${libraryId}/statistics/audience?${query}`);
  useRefresh(again, REFRESH_MS);
  const found = value.value;
  if (found === null) return null;
  const referrers = found.referrers.map(({ name, views }) => ({ name: name || t('No referrer'), views }));
  const devices = found.devices.map(({ name, views }) => ({ name: name === '' ? t('Unknown') : tr(name), views }));
  return (
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
      {found.retention !== null && <Retention percents={found.retention} />}
    </div>
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

/** Share of the audience that played each part of a video. */
function Retention({ percents }: { percents: readonly number[] }) {
  const step = 100 / Math.max(1, percents.length);
  const line = percents.map(
    (percent, index) => `L${((index + 0.5) * step).toFixed(2)},${(31 - percent * 0.3).toFixed(2)}`,
  );
  const last = percents.at(-1) ?? 0;
  return (
    <section class="panel">
      <h2>{t('Audience retention')}</h2>
      <svg
        class="bars"
        viewBox="0 0 100 32"
        preserveAspectRatio="none"
        role="img"
        aria-label={t('{0}% at the end', last)}
      >
        <path d={`M0,32 L0,${31 - (percents[0] ?? 0) * 0.3} ${line.join(' ')} L100,${31 - last * 0.3} L100,32Z`} />
      </svg>
      <p class="hint scale">
        <span>{t('Beginning')}</span>
        <span>{t('{0}% at the end', last)}</span>
      </p>
    </section>
  );
}

/** Downloads all statistics as CSV. */
export function DownloadCsv({ libraryId, query }: { libraryId: number; query: string }) {
  return (
    <a class="button" href={`${prefix}/library/${libraryId}/statistics/export?${query}`} download="statistics.csv">
      {t('Download CSV')}
    </a>
  );
}

function total(chart: Readonly<Record<string, number>>): number {
  return Object.values(chart).reduce((sum, value) => sum + value, 0);
}
