import { useSignal } from '@preact/signals';
import type { VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import { t, trAll } from '../base/language.ts';
import { lazy } from '../base/lazy.tsx';
import { useLoaded } from '../base/load.ts';
import { clock, day, plural } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { Audience, DownloadCsv } from './audience.tsx';
import { Cost } from './cost.tsx';
import { TimeChart } from './time-chart.tsx';

/** The atlas is larger than the rest of the screen: a file of its own. */
const CountryMap = lazy(async () => (await import('./country-map.tsx')).CountryMap);

const RANGES = [
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
] as const;

export function LibraryStatistics({ libraryId }: { libraryId: number }) {
  const days = useSignal('30');
  const from = new Date(Date.now() - Number(days.value) * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const { value, error } = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?dateFrom=${from}`);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Statistics')}</h1>
        <span class="push" />
        <DownloadCsv libraryId={libraryId} query={`dateFrom=${from}`} />
      </header>
      <div class="filters">
        <SelectField
          label={t('Range')}
          value={days.value}
          choices={trAll(RANGES)}
          onChange={(chosen) => (days.value = chosen)}
        />
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found !== null && <Charts found={found} />}
      <Audience libraryId={libraryId} query={`dateFrom=${from}`} />
      <Cost libraryId={libraryId} watchedSec={total(found?.watchTimeChart ?? null)} days={Number(days.value)} />
    </>
  );
}

function Charts({ found }: { found: VideoStatisticsModel }) {
  const views = total(found.viewsChart);
  return (
    <div class="stack">
      <section class="panel">
        <h2>{t('Views')}</h2>
        <p class="figure">{views.toLocaleString()}</p>
        <TimeChart label={t('Views by day')} values={found.viewsChart ?? {}} name={(count) => plural(count, 'view')} />
        {views === 0 && <p class="hint">{t('Nobody watched yet. Share a link or put an embed code on a page.')}</p>}
      </section>
      <div class="columns">
        <section class="panel">
          <h2>{t('Watch time')}</h2>
          <p class="figure">{clock(total(found.watchTimeChart))}</p>
          <TimeChart label={t('Watch time by day')} values={found.watchTimeChart ?? {}} name={clock} />
        </section>
        <Countries found={found} />
      </div>
      <details class="panel">
        <summary>{t('The same as a table')}</summary>
        <Table label={t('Views and watch time by day')} head={[t('Day'), t('Views'), t('Watch time')]}>
          {Object.entries(found.viewsChart ?? {}).map(([time, count]) => (
            <tr key={time}>
              <th scope="row">{day(time)}</th>
              <td>{count.toLocaleString()}</td>
              <td>{clock(found.watchTimeChart?.[time] ?? 0)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </div>
  );
}

const COUNTRY = new Intl.DisplayNames(undefined, { type: 'region' });

function Countries({ found }: { found: VideoStatisticsModel }) {
  const rows = Object.entries(found.countryViewCounts ?? {}).sort(([, first], [, second]) => second - first);
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <section class="panel">
      <h2>{t('Countries')}</h2>
      {rows.length === 0 && <p class="hint">{t('Appears with the first viewers.')}</p>}
      {rows.length > 0 && <CountryMap counts={found.countryViewCounts ?? {}} nameOf={nameOf} />}
      <ul class="shares">
        {rows.slice(0, 20).map(([code, count]) => (
          <li key={code}>
            <span>{nameOf(code)}</span>
            <meter min={0} max={most} value={count} aria-label={nameOf(code)} />
            <span class="hint">{count.toLocaleString()}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (COUNTRY.of(code) ?? code) : 'Unknown';
}

function total(chart: Record<string, number> | null): number {
  return Object.values(chart ?? {}).reduce((sum, value) => sum + value, 0);
}
