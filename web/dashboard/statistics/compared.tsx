import type { AudienceModel } from '../../../src/api/models/audience.ts';
import type { VideoStatisticsModel } from '../../../src/api/models/play-data.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { amount, bytes, clock, dateFormat } from '../base/words.ts';
import { Table } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { type ComparedPeriods, type Period, queryOf } from './periods.ts';
import { total } from './total.ts';

type Props = ComparedPeriods & { libraryId: number; video?: string };
type Row = { name: string; now: number | null; before: number | null; words: (value: number) => string };

/** Two periods side by side. `video`: the GUID of a video; the library if absent. */
export function Compared({ libraryId, video, period, before, isCut }: Props) {
  const now = useFigures(libraryId, period, video);
  const earlier = useFigures(libraryId, before, video);
  const error = now.error ?? earlier.error;
  if (error !== null) return <Notice kind="error">{error}</Notice>;
  if (now.figures === null || earlier.figures === null) return null;
  const rows = rowsOf(now.figures, earlier.figures);
  return (
    <div>
      <Table
        label={t('Comparison of two periods')}
        head={[t('Figure'), daysOf(period), daysOf(before), t('Difference')]}
      >
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td>{row.now === null ? '–' : row.words(row.now)}</td>
            <td>{row.before === null ? '–' : row.words(row.before)}</td>
            <td>{differenceOf(row)}</td>
          </tr>
        ))}
      </Table>
      {isCut && (
        <p class="hint">
          {period.isHourly
            ? t('The current hour is left out, because it is incomplete.')
            : t('Today is left out, because it is incomplete.')}
        </p>
      )}
    </div>
  );
}

type Figures = { statistics: VideoStatisticsModel; audience: AudienceModel };

function useFigures(libraryId: number, period: Period, video: string | undefined) {
  const query = queryOf(period) + (video === undefined ? '' : `&videoGuid=${video}`);
  const statistics = useLoaded<VideoStatisticsModel>(`/library/${libraryId}/statistics?${query}`);
  const audience = useLoaded<AudienceModel>(`/library/${libraryId}/statistics/audience?${query}`);
  const [first, second] = [statistics.value.value, audience.value.value];
  const figures: Figures | null = first === null || second === null ? null : { statistics: first, audience: second };
  return { figures, error: statistics.error.value ?? audience.error.value };
}

function rowsOf(now: Figures, before: Figures): Row[] {
  const [views, viewsBefore] = [now, before].map(({ statistics }) => total(statistics.viewsChart));
  const of = (name: string, read: (figures: Figures) => number | null, words: Row['words']): Row => {
    return { name, now: read(now), before: read(before), words };
  };
  const share = (part: (audience: AudienceModel) => number) => (figures: Figures) => {
    const all = (figures === now ? views : viewsBefore) ?? 0;
    return all === 0 ? null : (part(figures.audience) * 100) / all;
  };
  const count = (value: number) => amount(value);
  const percent = (value: number) => `${amount(value, 1)} %`;
  return [
    of(t('Views'), ({ statistics }) => total(statistics.viewsChart), count),
    of(t('Watch time'), ({ statistics }) => total(statistics.watchTimeChart), clock),
    of(t('Unique viewers per day'), ({ audience }) => audience.uniqueViewers, count),
    of(
      t('Startup time'),
      ({ audience }) => audience.startup.p50Ms,
      (ms) => `${amount(ms / 1000, 1)} s`,
    ),
    of(
      t('Views with rebuffering'),
      share((audience) => audience.rebuffering.views),
      percent,
    ),
    of(
      t('Views with an error'),
      share((audience) => audience.failures.views),
      percent,
    ),
    of(t('Delivered'), ({ audience }) => audience.bytesSent, bytes),
  ];
}

function differenceOf({ now, before }: Row): string {
  if (now === null || before === null || before === 0) return '–';
  const percent = Math.round((now / before - 1) * 100);
  return `${percent === 0 ? '' : percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

const DAYS = { dateStyle: 'medium', timeZone: 'UTC' } as const;
const HOURS = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** Formats the first and last day of a period, or the first and last minute of hours. */
function daysOf({ fromMs, endMs, isHourly }: Period): string {
  return isHourly ? dateFormat(HOURS).formatRange(fromMs, endMs) : dateFormat(DAYS).formatRange(fromMs, endMs - 1);
}
