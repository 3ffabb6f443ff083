import type { QuotaModel, QuotaStateModel, QuotasModel, UpdateQuotasModel } from '../../../src/api/models/quota.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, tr, trAll } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { may } from '../base/session.ts';
import { amount, bytes } from '../base/words.ts';
import { Panel, SelectField } from '../parts/fields.tsx';
import { Loading, Notice } from '../parts/parts.tsx';

type Resource = keyof UpdateQuotasModel;
/** `unit` is the number of the API's units in one unit of the form. */
type Row = { name: Resource; label: string; field: string; unit: number; write: (used: number) => string };

const count = (used: number) => amount(used, 3, 0);
const GIGABYTE = 1e9;

const ROWS: readonly Row[] = [
  { name: 'storageBytes', label: 'Storage', field: 'Storage in GB', unit: GIGABYTE, write: bytes },
  {
    name: 'encodedMinutesPerMonth',
    label: 'Encoded minutes this month',
    field: 'Encoded minutes per month',
    unit: 1,
    write: count,
  },
  { name: 'concurrentLiveStreams', label: 'Live streams now', field: 'Live streams at once', unit: 1, write: count },
  { name: 'concurrentViewers', label: 'Viewers now', field: 'Viewers at once', unit: 1, write: count },
  {
    name: 'bandwidthBytesPerMonth',
    label: 'Delivered this month',
    field: 'Delivered GB per month',
    unit: GIGABYTE,
    write: bytes,
  },
];

const MODES = [
  ['none', 'No limit'],
  ['soft', 'Warn only'],
  ['hard', 'Refuse'],
] as const;

/** Limits of a library with their use. Account managers can change them. */
export function Quotas({ libraryId }: { libraryId: number }) {
  const { value, error, again } = useLoaded<QuotasModel>(`/library/${libraryId}/quotas`);
  const quotas = value.value;
  if (quotas === null) return <Loading error={error.value} />;
  return (
    <div class="stack">
      <Use quotas={quotas} />
      {may('account.manage') && <Limits libraryId={libraryId} quotas={quotas} onSaved={again} />}
    </div>
  );
}

function Use({ quotas }: { quotas: QuotasModel }) {
  const reached = ROWS.filter(({ name }) => (quotas[name].percent ?? 0) >= 100);
  const near = ROWS.filter(
    ({ name }) => (quotas[name].percent ?? 0) >= 80 && !reached.some((row) => row.name === name),
  );
  const names = (rows: readonly Row[]) => rows.map(({ label }) => tr(label)).join(', ');
  return (
    <Panel title={t('Quotas')} hint={t('Months are calendar months in UTC.')}>
      {reached.length > 0 && <Notice kind="error">{t('Limit reached: {0}', names(reached))}</Notice>}
      {near.length > 0 && (
        <p class="notice near" role="status">
          {t('At least 80 % of the limit: {0}', names(near))}
        </p>
      )}
      <ul class="quotas">
        {ROWS.map((row) => (
          <Bar key={row.name} row={row} state={quotas[row.name]} />
        ))}
      </ul>
    </Panel>
  );
}

function Bar({ row: { label, write }, state: { limit, mode, used, percent } }: { row: Row; state: QuotaStateModel }) {
  const tone = percent === null || percent < 80 ? '' : percent < 100 ? 'near' : 'reached';
  return (
    <li>
      <span>{tr(label)}</span>
      {limit === null ? (
        <span class="hint">{t('{0}, no limit', write(used))}</span>
      ) : (
        <>
          <span class="hint">
            {t('{0} of {1}', write(used), write(limit))} · {mode === 'hard' ? t('Refuse') : t('Warn only')}
          </span>
          <meter class={tone} min={0} max={100} value={Math.min(100, percent ?? 0)} aria-label={tr(label)} />
          <strong>{percent} %</strong>
        </>
      )}
    </li>
  );
}

type Limited = Record<Resource, QuotaModel | null>;

function Limits({ libraryId, quotas, onSaved }: { libraryId: number; quotas: QuotasModel; onSaved: () => void }) {
  const { value, resets, change } = useDraft(limitsOf(quotas), {
    name: t('Quotas'),
    findFault,
    async save(edits) {
      await api('PUT', `/library/${libraryId}/quotas`, edits);
      onSaved();
    },
  });
  return (
    <Panel
      title={t('Limits')}
      hint={t(
        '“Warn only” warns here and sends a webhook at 80 and 100 %. “Refuse” also rejects anything above the limit.',
      )}
    >
      {ROWS.map((row) => (
        <Limit
          key={`${row.name} ${resets}`}
          row={row}
          quota={value[row.name]}
          onChange={(quota) => change({ [row.name]: quota } as Partial<Limited>)}
        />
      ))}
    </Panel>
  );
}

type LimitProps = { row: Row; quota: QuotaModel | null; onChange: (quota: QuotaModel | null) => void };

function Limit({ row: { field, unit }, quota, onChange }: LimitProps) {
  return (
    <div class="limit">
      <SelectField
        label={tr(field)}
        value={quota?.mode ?? 'none'}
        choices={trAll(MODES)}
        onChange={(mode) =>
          onChange(mode === 'soft' || mode === 'hard' ? { limit: quota?.limit ?? 100 * unit, mode } : null)
        }
      />
      {quota !== null && (
        <input
          type="number"
          aria-label={`${tr(field)}: ${t('Limit')}`}
          min={0}
          step={unit === 1 ? 1 : 'any'}
          // Keeps its own text: a number would lose the zero of “1.0” while the user types “1.05”.
          defaultValue={quota.limit / unit}
          // Not a number if the field is empty.
          onInput={({ currentTarget: { valueAsNumber: to } }) => onChange({ ...quota, limit: Math.round(to * unit) })}
        />
      )}
    </div>
  );
}

/** Returns a message if a field is empty or has a limit that the API does not accept. */
function findFault(limits: Limited): string | null {
  const isValid = ({ limit }: QuotaModel) => Number.isSafeInteger(limit) && limit >= 0;
  const wrong = ROWS.filter(({ name }) => limits[name] !== null && !isValid(limits[name]));
  if (wrong.length === 0) return null;
  return t('Enter a limit of 0 or more: {0}.', wrong.map(({ field }) => tr(field)).join(', '));
}

function limitsOf(quotas: QuotasModel): Limited {
  const of = ({ limit, mode }: QuotaStateModel) => (limit === null || mode === null ? null : { limit, mode });
  return {
    storageBytes: of(quotas.storageBytes),
    encodedMinutesPerMonth: of(quotas.encodedMinutesPerMonth),
    concurrentLiveStreams: of(quotas.concurrentLiveStreams),
    concurrentViewers: of(quotas.concurrentViewers),
    bandwidthBytesPerMonth: of(quotas.bandwidthBytesPerMonth),
  };
}
