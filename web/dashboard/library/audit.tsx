import { useSignal } from '@preact/signals';
import type { AuditLineModel, PaginationListModelOfAuditLineModel } from '../../../src/api/models/audit.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { nameKey } from '../base/name-key.ts';
import { moment } from '../base/words.ts';
import { SelectField, Table } from '../parts/fields.tsx';
import { Empty, Notice, Pager } from '../parts/parts.tsx';
import { ACTIONS, actionOf } from './audit-actions.ts';
import { AuditChanges } from './audit-changes.tsx';
import { AuditDetails, AuditObject } from './audit-object.tsx';

const PER_PAGE = 50;
const FIRST_ERROR_STATUS = 400;
const RESULTS = [
  ['', 'All'],
  ['done', 'Done'],
  ['failed', 'Refused or failed'],
] as const;

type Only = { key: string; name: string };

/** Log of changes: who did what to which object, when, and with what result. */
export function Audit({ libraryId }: { libraryId: number }) {
  const page = useSignal(1);
  const group = useSignal('');
  const result = useSignal('');
  const only = useSignal<Only | null>(null);
  const search = new URLSearchParams({
    page: String(page.value),
    perPage: String(PER_PAGE),
    result: result.value,
    key: only.value?.key ?? '',
    operation: Object.keys(ACTIONS.find(({ label }) => label === group.value)?.operations ?? {}).join(','),
  });
  const { value, error } = useLoaded<PaginationListModelOfAuditLineModel>(`/videolibrary/${libraryId}/audit?${search}`);
  const found = value.value;
  const choose = (target: typeof group) => (chosen: string) => {
    target.value = chosen;
    page.value = 1;
  };
  const pick = (to: Only | null) => {
    only.value = to;
    page.value = 1;
  };
  return (
    <div class="stack">
      <div class="filters">
        <SelectField
          label={t('Changes of')}
          value={group.value}
          choices={[['', t('Everything')], ...ACTIONS.map(({ label }) => [label, tr(label)] as const)]}
          onChange={choose(group)}
        />
        <SelectField label={t('Result')} value={result.value} choices={trAll(RESULTS)} onChange={choose(result)} />
        {only.value !== null && (
          <button type="button" onClick={() => pick(null)}>
            {t('Only {0}; show everyone', only.value.name)}
          </button>
        )}
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      {found?.Items.length === 0 ? (
        <Empty title={t('No changes found')}>
          <p>{t('Entries are kept for 90 days. Choose other filters to see more.')}</p>
        </Empty>
      ) : (
        <div class="log-cards audit-log">
          <Table label={t('Audit log')} head={[t('Time'), t('Who'), t('What'), t('Object'), t('Result'), t('Details')]}>
            {found?.Items.map((line) => (
              <Line key={line.Id} libraryId={libraryId} line={line} onPick={pick} />
            ))}
          </Table>
        </div>
      )}
      {found !== null && <Pager page={page} total={found.TotalItems} perPage={PER_PAGE} />}
    </div>
  );
}

type LineProps = { libraryId: number; line: AuditLineModel; onPick: (to: Only) => void };

function Line({ libraryId, line, onPick }: LineProps) {
  const who = nameOf(line);
  const isDone = line.Status < FIRST_ERROR_STATUS;
  return (
    <tr>
      <td>{moment(line.Date)}</td>
      <td>
        <button
          type="button"
          class="quiet who"
          aria-label={t('Show only {0}', who)}
          onClick={() => onPick({ key: line.Key, name: who })}
        >
          {who}
        </button>
      </td>
      <th scope="row">
        {tr(actionOf(line.Operation))}
        <AuditChanges changes={line.Changes} />
      </th>
      <td dir="auto">
        <AuditObject line={line} libraryId={libraryId} />
      </td>
      <td>
        <span class={`chip ${isDone ? 'good' : 'bad'}`}>{isDone ? t('Done') : resultOf(line.Status)}</span>
      </td>
      <td>
        <AuditDetails line={line} />
      </td>
    </tr>
  );
}

function nameOf({ Who, WhoKind }: AuditLineModel): string {
  if (WhoKind === 'person') return Who;
  if (Who === '') return t('A deleted key');
  return nameKey(Who);
}

function resultOf(status: number): string {
  if (status === 401 || status === 403) return t('Not permitted');
  if (status === 404) return t('Not found');
  return status < 500 ? t('Refused') : t('Failed');
}
