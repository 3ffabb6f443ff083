import { useSignal } from '@preact/signals';
import type { EventLogPage, Log } from '../../../src/api/models/event-log.ts';
import type { VideoLibraryModel } from '../../../src/api/models/video-library.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { SelectField, Table, TextField } from '../parts/fields.tsx';
import { Empty, Notice } from '../parts/parts.tsx';

const DAY_MS = 24 * 3600 * 1000;
const DAYS = ['Today (UTC)', 'Yesterday', 'The day before'];

/** What the edges refused or logged: the last three days, with the rule that decided. */
export function Events({ libraryId }: { libraryId: number }) {
  const library = useLoaded<VideoLibraryModel>(`/videolibrary/${libraryId}`);
  const zoneId = library.value.value?.PullZoneId;
  return (
    <>
      <header class="place">
        <h1>{t('Event log')}</h1>
        <span class="hint">{t('What the delivery refused, and why')}</span>
      </header>
      {library.error.value !== null && <Notice kind="error">{library.error.value}</Notice>}
      {zoneId !== undefined && <Days zoneId={zoneId} />}
    </>
  );
}

function Days({ zoneId }: { zoneId: number }) {
  const day = useSignal('0');
  const rule = useSignal('');
  const text = useSignal('');
  const tokens = useSignal<readonly string[]>([]);
  const date = wireDate(new Date(Date.now() - Number(day.value) * DAY_MS));
  const token = tokens.value.at(-1) ?? '';
  const { value, error, again } = useLoaded<EventLogPage>(
    `/shield/event-logs/${zoneId}/${date}${token === '' ? '' : `/${encodeURIComponent(token)}`}`,
  );
  const logs = value.value?.logs ?? [];
  const rules = [...new Set(logs.flatMap(({ labels }) => labels.ruleId ?? []))].toSorted((a, b) => a.localeCompare(b));
  const shown = logs.filter(
    ({ log, labels }) =>
      (rule.value === '' || labels.ruleId === rule.value) &&
      (log ?? '').toLowerCase().includes(text.value.toLowerCase()),
  );
  const next = value.value?.hasMoreData === true ? (value.value.continuationToken ?? '') : '';
  return (
    <>
      <div class="filters">
        <SelectField
          label={t('Day')}
          value={day.value}
          choices={DAYS.map((name, index) => [String(index), tr(name)] as const)}
          onChange={(chosen) => {
            day.value = chosen;
            tokens.value = [];
          }}
        />
        <SelectField
          label={t('Rule')}
          value={rule.value}
          choices={[['', t('All rules')], ...rules.map((name) => [name, name] as const)]}
          onChange={(chosen) => (rule.value = chosen)}
        />
        <TextField label={t('Text')} value={text.value} onChange={(typed) => (text.value = typed)} />
        <button type="button" onClick={again}>
          {t('Look again')}
        </button>
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {value.value !== null && shown.length === 0 ? (
        <Empty title={t('Nothing was refused')}>
          <p>{t('Rules of the pull zone, tokens and limits write a line here for each request that they refuse.')}</p>
        </Empty>
      ) : (
        <Table label={t('Events')} head={[t('Time'), t('Rule'), t('Status'), t('Country'), t('Request')]}>
          {shown.map((event) => (
            <EventRow key={event.logId} event={event} />
          ))}
        </Table>
      )}
      <div class="pager">
        <button type="button" disabled={token === ''} onClick={() => (tokens.value = tokens.value.slice(0, -1))}>
          {t('Earlier page')}
        </button>
        <button type="button" disabled={next === ''} onClick={() => (tokens.value = [...tokens.value, next])}>
          {t('Next page')}
        </button>
      </div>
    </>
  );
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

function EventRow({ event: { timestamp, log, labels } }: { event: Log }) {
  return (
    <tr>
      <td>{TIME.format(new Date(timestamp))}</td>
      <th scope="row">{labels.ruleId}</th>
      <td>{labels.status}</td>
      <td>{labels.country}</td>
      <td>
        <code class="wrapped">{log}</code>
      </td>
    </tr>
  );
}

/** The day as the operation takes it, MM-dd-yyyy in UTC. */
function wireDate(time: Date): string {
  const [year, month, date] = time.toISOString().slice(0, 10).split('-');
  return `${month}-${date}-${year}`;
}
