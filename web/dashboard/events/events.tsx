import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { EventLogsSearchResponse } from '../../../src/api/models/event-search.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded, useRefresh } from '../base/load.ts';
import { amount } from '../base/words.ts';
import { Check, SelectField, Table, TextField } from '../parts/fields.tsx';
import { Empty, Notice, Pager } from '../parts/parts.tsx';
import { EventRow } from './event-row.tsx';

const DAY_MS = 24 * 3600 * 1000;
const DAYS = ['Today (UTC)', 'Yesterday', 'The day before'];
const PER_PAGE = 50;
const FOLLOW_MS = 3_000;
/** Filter values are refreshed less often, because each field requires a search over the day. */
const FOLLOW_VALUES_MS = 6_000;
/** Delay after the last keystroke before a search starts. */
const TYPING_MS = 150;
/** Maximum number of values of a field offered as filters. */
const MAX_VALUES = 40;

const FIELDS = [
  ['ruleId', 'Rule', 'All rules'],
  ['action', 'Status', 'All states'],
  ['country', 'Country', 'All countries'],
  ['severity', 'Severity', 'All severities'],
  ['method', 'Method', 'All methods'],
] as const;
type Field = (typeof FIELDS)[number][0];
type Chosen = Readonly<Record<Field, string>>;

const NOTHING: Chosen = { ruleId: '', action: '', country: '', severity: '', method: '' };

/** Requests that the edges refused or logged in the last three days, with the deciding rule. */
export function Events({ libraryId }: { libraryId: number }) {
  const library = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const zoneId = library.value.value?.PullZoneId;
  return (
    <>
      <header class="place">
        <h1>{t('Event log')}</h1>
        <span class="hint">{t('Requests that the edge blocked, with the reason')}</span>
      </header>
      {library.error.value !== null && <Notice kind="error">{library.error.value}</Notice>}
      {zoneId !== undefined && <Log zoneId={zoneId} />}
    </>
  );
}

function Log({ zoneId }: { zoneId: number }) {
  const day = useSignal('0');
  const chosen = useSignal<Chosen>(NOTHING);
  const typed = useSignal('');
  const text = useSignal('');
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const page = useSignal(1);
  const isFollowed = useSignal(false);
  const path = `/shield/event-logs/${zoneId}/search`;
  const span = spanOf(Number(day.value));
  const filters = FIELDS.filter(([field]) => chosen.value[field] !== '').map(([field]) => ({
    field,
    value: [chosen.value[field]],
  }));
  const { value, error, again, look } = useLoaded<EventLogsSearchResponse>(path, {
    ...span,
    query: text.value,
    filters,
    page: page.value - 1,
    pageSize: PER_PAGE,
  });
  useRefresh(() => {
    if (isFollowed.value) look();
  }, FOLLOW_MS);
  const change = (action: () => void) => {
    action();
    page.value = 1;
  };
  const type = (to: string) => {
    typed.value = to;
    clearTimeout(typing.current);
    typing.current = setTimeout(() => change(() => (text.value = to)), TYPING_MS);
  };
  const found = value.value;
  // A day without events has nothing to filter.
  const hasFilters = (found?.total ?? 0) > 0 || typed.value !== '' || filters.length > 0;
  return (
    <>
      <div class="filters">
        <SelectField
          label={t('Day')}
          value={day.value}
          choices={DAYS.map((name, index) => [String(index), tr(name)] as const)}
          onChange={(to) => change(() => (day.value = to))}
        />
        {hasFilters &&
          FIELDS.map(([field, label, all]) => (
            <FieldFilter
              key={field}
              {...{ path, span, field, isFollowed }}
              label={tr(label)}
              all={tr(all)}
              value={chosen.value[field]}
              onChange={(to) => change(() => (chosen.value = { ...chosen.value, [field]: to }))}
            />
          ))}
        {hasFilters && <TextField label={t('Search')} value={typed.value} onChange={type} />}
        <Check label={t('Follow')} value={isFollowed.value} onChange={(isOn) => (isFollowed.value = isOn)} />
        <button type="button" onClick={again}>
          {t('Refresh')}
        </button>
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.rows?.length === 0 && (
        <Empty title={t('No blocked requests')}>
          <p>{t('Requests blocked by a pull zone rule, a token or a limit are listed here.')}</p>
        </Empty>
      )}
      {found !== null && (found.rows ?? []).length > 0 && (
        <Table
          label={t('Events')}
          head={[t('Time'), t('Rule'), t('Status'), t('Country'), t('IP address'), t('Request'), t('Actions')]}
        >
          {found.rows?.map((event) => (
            <EventRow key={event.logId} zoneId={zoneId} event={event} />
          ))}
        </Table>
      )}
      {found !== null && <Pager page={page} total={found.total} perPage={PER_PAGE} />}
    </>
  );
}

type FieldFilterProps = {
  path: string;
  span: { from: number; to: number };
  field: Field;
  isFollowed: Signal<boolean>;
  label: string;
  all: string;
  value: string;
  onChange: (to: string) => void;
};

/** Offers the values that occur in the day's events, the most frequent first. */
function FieldFilter({ path, span, field, isFollowed, label, all, value, onChange }: FieldFilterProps) {
  const { value: found, look } = useLoaded<EventLogsSearchResponse>(path, {
    ...span,
    groupBy: [field],
    pageSize: MAX_VALUES,
  });
  useRefresh(() => {
    if (isFollowed.value) look();
  }, FOLLOW_VALUES_MS);
  const groups = (found.value?.groups ?? []).map(({ key, count }) => ({ name: key[field] ?? '', count }));
  const offered = groups.filter(({ name }) => name !== '').toSorted((first, second) => second.count - first.count);
  const choices = offered.map(({ name, count }) => [name, `${name} (${amount(count)})`] as const);
  // The current filter remains selected on a day without matches.
  const isMissing = value !== '' && offered.every(({ name }) => name !== value);
  const kept = isMissing ? [[value, `${value} (0)`] as const] : [];
  return <SelectField label={label} value={value} choices={[['', all], ...choices, ...kept]} onChange={onChange} />;
}

/** Returns a whole UTC day, `ago` days before today. */
function spanOf(ago: number): { from: number; to: number } {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return { from: today - ago * DAY_MS, to: today - (ago - 1) * DAY_MS };
}
