import { useSignal } from '@preact/signals';
import type { VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { t, trAll } from '../base/language.ts';
import { lazy } from '../base/lazy.tsx';
import { useLoaded } from '../base/load.ts';
import { amount, clock, day, plural } from '../base/words.ts';
import { Check, SelectField, Table } from '../parts/fields.tsx';
import { Link, Notice } from '../parts/parts.tsx';
import { Audience, DownloadCsv } from './audience.tsx';
import { Cost } from './cost.tsx';
import { TimeChart } from './time-chart.tsx';

/** The atlas is larger than the rest of the screen, so it is a separate file. */
const CountryMap = lazy(async () => (await import('./country-map.tsx')).CountryMap);

const RANGES = [
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
] as const;

const HOUR_MS = 3_600_000;
const TOP = 10;

export function LibraryStatistics({ libraryId }: { libraryId: number }) {
  const days = useSignal('30');
  const isCompared = useSignal(false);
  const { query, before } = rangeOf(Number(days.value));
  const { value, error } = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?${query}`);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Statistics')}</h1>
        <span class="push" />
        <DownloadCsv libraryId={libraryId} query={query} />
      </header>
      <div class="filters">
        <SelectField
          label={t('Range')}
          value={days.value}
          choices={trAll(RANGES)}
          onChange={(chosen) => (days.value = chosen)}
        />
        <Check
          label={t('Compare with the previous period')}
          value={isCompared.value}
          onChange={(isOn) => (isCompared.value = isOn)}
        />
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <div class="stack">
        {found !== null && isCompared.value && <Compared libraryId={libraryId} query={before} now={found} />}
        {found !== null && <Charts found={found} />}
        <Audience libraryId={libraryId} query={query} />
        <TopVideos libraryId={libraryId} />
        <Cost libraryId={libraryId} watchedSec={total(found?.watchTimeChart ?? null)} days={Number(days.value)} />
      </div>
    </>
  );
}

/**
 * Returns a range up to now (hourly for one day) and the preceding range of the same length. Whole hours and days keep
 * the URL the same between reads.
 */
function rangeOf(days: number): { query: string; before: string } {
  const stepMs = days === 1 ? HOUR_MS : 24 * HOUR_MS;
  const fromMs = Math.floor(Date.now() / stepMs) * stepMs - days * 24 * HOUR_MS;
  const time = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  const hourly = days === 1 ? '&hourly=true' : '';
  const before = `dateFrom=${time(fromMs - days * 24 * HOUR_MS)}&dateTo=${time(fromMs - 1_000)}${hourly}`;
  return { query: `dateFrom=${time(fromMs)}${hourly}`, before };
}

/** Views and watch time compared to the previous period, with the same number of whole hours or days. */
function Compared({ libraryId, query, now }: { libraryId: number; query: string; now: VideoStatisticsModel }) {
  const { value, error } = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?${query}`);
  if (error.value !== null) return <Notice kind="error">{error.value}</Notice>;
  const before = value.value;
  if (before === null) return null;
  const rows = [
    [t('Views'), total(whole(now.viewsChart)), total(before.viewsChart), (count: number) => amount(count)],
    [t('Watch time'), total(whole(now.watchTimeChart)), total(before.watchTimeChart), clock],
  ] as const;
  return (
    <Table
      label={t('Compare with the previous period')}
      head={['', t('This period'), t('Previous period'), t('Change')]}
    >
      {rows.map(([name, value, earlier, words]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{words(value)}</td>
          <td>{words(earlier)}</td>
          <td>
            {earlier === 0
              ? '–'
              : `${value >= earlier ? '+' : '−'}${Math.round(Math.abs(value / earlier - 1) * 100)} %`}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The most watched videos of the library. */
function TopVideos({ libraryId }: { libraryId: number }) {
  const { value } = useLoaded<PaginationListOfVideoModel>(
    `/library/${libraryId}/videos?orderBy=views&direction=desc&itemsPerPage=${TOP}`,
  );
  const videos = (value.value?.items ?? []).filter(({ views }) => views > 0);
  const most = Math.max(1, ...videos.map(({ views }) => views));
  return (
    <section class="panel">
      <h2>{t('Most watched videos of all time')}</h2>
      {videos.length === 0 && <p class="hint">{t('Available after the first views.')}</p>}
      <ul class="shares">
        {videos.map(({ guid, title, views }) => (
          <li key={guid}>
            <Link to={{ name: 'video', libraryId, videoId: guid, part: 'statistics' }}>{title}</Link>
            <meter min={0} max={most} value={views} aria-label={title} />
            <span class="hint">{amount(views)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Charts({ found }: { found: VideoStatisticsModel }) {
  const views = total(found.viewsChart);
  return (
    <div class="stack">
      <section class="panel">
        <h2>{t('Views')}</h2>
        <p class="figure">{amount(views)}</p>
        <TimeChart label={t('Views by day')} values={found.viewsChart ?? {}} name={(count) => plural(count, 'view')} />
        {views === 0 && <p class="hint">{t('No views yet. Share a link or embed a video on a page.')}</p>}
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
        <summary>{t('Show as table')}</summary>
        <Table label={t('Views and watch time by day')} head={[t('Day'), t('Views'), t('Watch time')]}>
          {Object.entries(found.viewsChart ?? {}).map(([time, count]) => (
            <tr key={time}>
              <th scope="row">{day(time)}</th>
              <td>{amount(count)}</td>
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
      {rows.length === 0 && <p class="hint">{t('Available after the first views.')}</p>}
      {rows.length > 0 && <CountryMap counts={found.countryViewCounts ?? {}} nameOf={nameOf} />}
      <ul class="shares">
        {rows.slice(0, 20).map(([code, count]) => (
          <li key={code}>
            <span>{nameOf(code)}</span>
            <meter min={0} max={most} value={count} aria-label={nameOf(code)} />
            <span class="hint">{amount(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (COUNTRY.of(code) ?? code) : t('Unknown');
}

/** Returns a chart up to now without its newest hour or day, which is incomplete. */
function whole(chart: Record<string, number> | null): Record<string, number> {
  const entries = Object.entries(chart ?? {}).toSorted(([first], [second]) => Date.parse(first) - Date.parse(second));
  return Object.fromEntries(entries.slice(0, -1));
}

function total(chart: Record<string, number> | null): number {
  return Object.values(chart ?? {}).reduce((sum, value) => sum + value, 0);
}
