import type { QualityModel } from '../../../src/api/models/audience.ts';
import type { VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import { t } from '../base/language.ts';
import { lazy } from '../base/lazy.tsx';
import { useLoaded } from '../base/load.ts';
import { amount, clock, day, plural } from '../base/words.ts';
import { Table } from '../parts/fields.tsx';
import { Link, Notice } from '../parts/parts.tsx';
import { Audience, DownloadCsv } from './audience.tsx';
import { Compared } from './compared.tsx';
import { countryName } from './country-name.ts';
import { PeriodPicker, usePeriod } from './period-picker.tsx';
import { queryOf } from './periods.ts';
import { Quality } from './quality.tsx';
import { TimeChart } from './time-chart.tsx';
import { total } from './total.ts';
import { Usage } from './usage.tsx';

/** The atlas is larger than the rest of the screen, so it is a separate file. */
const CountryMap = lazy(async () => (await import('./country-map.tsx')).CountryMap);

const TOP = 10;

export function LibraryStatistics({ libraryId }: { libraryId: number }) {
  const state = usePeriod();
  const query = queryOf(state.period);
  const { value, error } = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?${query}`);
  const quality = useLoaded<QualityModel>(`/library/${libraryId}/statistics/quality?${query}`);
  const found = value.value;
  return (
    <>
      <header class="place">
        <h1>{t('Statistics')}</h1>
        <span class="push" />
        <DownloadCsv libraryId={libraryId} query={query} />
      </header>
      <PeriodPicker state={state} />
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <div class="stack">
        {state.compared !== null && <Compared libraryId={libraryId} {...state.compared} />}
        {found !== null && <Charts found={found} />}
        {quality.value.value !== null && <TopVideos libraryId={libraryId} found={quality.value.value} />}
        <Audience libraryId={libraryId} query={query} />
        {quality.value.value !== null && <Quality libraryId={libraryId} found={quality.value.value} />}
        <Usage libraryId={libraryId} />
      </div>
    </>
  );
}

/** The most watched videos of the period. */
function TopVideos({ libraryId, found }: { libraryId: number; found: QualityModel }) {
  const videos = found.videos.slice(0, TOP);
  const most = Math.max(1, ...videos.map(({ views }) => views));
  if (videos.length === 0) return null;
  return (
    <section class="panel">
      <h2>{t('Most watched videos')}</h2>
      <ul class="shares">
        {videos.map(({ guid, title, views }) => (
          <li key={guid}>
            {title === null ? (
              <span>{t('Deleted video')}</span>
            ) : (
              <Link to={{ name: 'video', libraryId, videoId: guid, part: 'statistics' }}>{title}</Link>
            )}
            <meter min={0} max={most} value={views} aria-label={title ?? t('Deleted video')} />
            <span class="hint">{amount(views)}</span>
          </li>
        ))}
      </ul>
      {found.isLimited && <p class="hint">{t('Only the newest {0} views.', amount(found.views))}</p>}
    </section>
  );
}

function Charts({ found }: { found: VideoStatisticsModel }) {
  const views = total(found.viewsChart);
  if (views === 0 && total(found.watchTimeChart) === 0) {
    return <p class="panel">{t('No views in this period. Share a link or embed a video on a page.')}</p>;
  }
  return (
    <div class="stack">
      <section class="panel">
        <h2>{t('Views')}</h2>
        <p class="figure">{amount(views)}</p>
        <TimeChart label={t('Views by day')} values={found.viewsChart ?? {}} name={(count) => plural(count, 'view')} />
      </section>
      <div class="columns">
        <section class="panel">
          <h2>{t('Watch time')}</h2>
          <p class="figure">{clock(total(found.watchTimeChart))}</p>
          <TimeChart label={t('Watch time by day')} values={found.watchTimeChart ?? {}} name={clock} mark={clock} />
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

function Countries({ found }: { found: VideoStatisticsModel }) {
  const rows = Object.entries(found.countryViewCounts ?? {}).sort(([, first], [, second]) => second - first);
  if (rows.length === 0) return null;
  const most = Math.max(1, ...rows.map(([, count]) => count));
  return (
    <section class="panel">
      <h2>{t('Countries')}</h2>
      <CountryMap counts={found.countryViewCounts ?? {}} nameOf={countryName} />
      <ul class="shares">
        {rows.slice(0, 20).map(([code, count]) => (
          <li key={code}>
            <span>{countryName(code)}</span>
            <meter min={0} max={most} value={count} aria-label={countryName(code)} />
            <span class="hint">{amount(count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
