import type { QualityModel } from '../../../src/api/models/audience.ts';
import type { VideoHeatmapModel, VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { amount, clock, plural } from '../base/words.ts';
import { Link, Loading } from '../parts/parts.tsx';
import { Audience, DownloadCsv } from '../statistics/audience.tsx';
import { Compared } from '../statistics/compared.tsx';
import { PeriodPicker, usePeriod } from '../statistics/period-picker.tsx';
import { queryOf } from '../statistics/periods.ts';
import { Quality } from '../statistics/quality.tsx';
import { total } from '../statistics/total.ts';
import { heatPoints } from './heat-points.ts';

export function VideoStatistics(props: { libraryId: number; videoId: string; lengthSec: number }) {
  const { libraryId, videoId, lengthSec } = props;
  const state = usePeriod();
  const query = `${queryOf(state.period)}&videoGuid=${videoId}`;
  const statistics = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?${query}`);
  const quality = useLoaded<QualityModel>(`/library/${libraryId}/statistics/quality?${query}`);
  const heat = useLoaded<VideoHeatmapModel>(`/library/${libraryId}/videos/${videoId}/heatmap`);
  const found = statistics.value.value;
  if (found === null) return <Loading error={statistics.error.value} />;
  return (
    <>
      <PeriodPicker state={state}>
        <span class="push" />
        <DownloadCsv libraryId={libraryId} query={query} />
      </PeriodPicker>
      {state.compared !== null && <Compared libraryId={libraryId} video={videoId} {...state.compared} />}
      <ViewsPanel found={found} />
      {heat.value.value !== null && (
        <Heatmap
          libraryId={libraryId}
          heat={heat.value.value.heatmap}
          lengthSec={lengthSec}
          views={total(found.viewsChart)}
        />
      )}
      <Audience libraryId={libraryId} query={query} />
      {quality.value.value !== null && <Quality libraryId={libraryId} found={quality.value.value} />}
    </>
  );
}

function ViewsPanel({ found }: { found: VideoStatisticsModel }) {
  const sum = total(found.viewsChart);
  return (
    <section class="panel">
      <h2>{t('Views')}</h2>
      <p class="figure">{amount(sum)}</p>
      {sum === 0 ? (
        <p class="hint">{t('No views in this period. Share the link or embed the video on a page.')}</p>
      ) : (
        <Bars values={found.viewsChart ?? {}} name={(count) => plural(count, 'view')} />
      )}
    </section>
  );
}

/** A bar for each day or hour, each labelled for screen readers. */
function Bars({ values, name }: { values: Record<string, number>; name: (value: number) => string }) {
  const rows = Object.entries(values);
  const most = Math.max(1, ...rows.map(([, value]) => value));
  const width = 100 / Math.max(1, rows.length);
  return (
    <svg class="bars" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={t('Daily chart')}>
      {rows.map(([time, value], index) => {
        const height = Math.max(0.6, (value / most) * 31);
        return (
          <rect key={time} x={index * width + width * 0.12} y={32 - height} width={width * 0.76} height={height}>
            <title>{`${time.slice(0, 10)}: ${name(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

/** A heatmap needs five views. With as many views and no heatmap, the library has turned it off. */
const MIN_VIEWS = 5;

type HeatmapProps = { libraryId: number; heat: Record<string, number> | null; lengthSec: number; views: number };

function Heatmap({ libraryId, heat, lengthSec, views }: HeatmapProps) {
  const points = heatPoints(heat, lengthSec);
  if (points.length === 0 && views < MIN_VIEWS) return null;
  const line = points.map(({ share, value }) => `L${(share * 100).toFixed(2)},${(31 - value * 0.3).toFixed(2)}`);
  return (
    <section class="panel">
      <h2>{t('Most watched parts')}</h2>
      {points.length === 0 ? (
        <div class="row">
          <span class="hint">{t('Heatmaps are off in this library.')}</span>
          <Link class="button" to={{ name: 'settings', libraryId, part: 'player' }}>
            {t('Turn them on in the player settings')}
          </Link>
        </div>
      ) : (
        <>
          <svg class="bars" viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={t('Heatmap')}>
            <path d={`M0,32 ${line.join(' ')} L100,32Z`} />
          </svg>
          <p class="hint scale">
            <span>0:00</span>
            <span>{clock(lengthSec)}</span>
          </p>
        </>
      )}
    </section>
  );
}
