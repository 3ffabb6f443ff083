import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Static } from 'typebox';
import type { AccountAuditLineModel, AccountAuditModel } from '../../../src/api/models/account-audit.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { prefix } from '../base/router.ts';
import { moment } from '../base/words.ts';
import { actionOf } from '../library/audit-actions.ts';
import { AuditChanges } from '../library/audit-changes.tsx';
import { Panel, SelectField, Table, TextField } from '../parts/fields.tsx';
import { Notice } from '../parts/parts.tsx';
import { useKeyLabels } from './key-labels.ts';
import { nameCaller } from './name-caller.ts';

const PER_PAGE = 20;
const TYPING_MS = 250;

/** Sign-ins and changes in the whole account, newest first. */
export function AccountAudit() {
  const kind = useSignal('');
  const typed = useSignal('');
  /** The typed name, shortly after the last keystroke. */
  const who = useSignal('');
  /** Ids of the last entries of the previous pages. */
  const before = useSignal<readonly number[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (who.value !== typed.value) before.value = [];
      who.value = typed.value;
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed.value, before, typed, who]);
  const filter = new URLSearchParams({ kind: kind.value, who: who.value });
  const path = `/audit?${filter}&perPage=${PER_PAGE}&before=${before.value.at(-1) ?? 0}`;
  const { value, error } = useLoaded<Static<typeof AccountAuditModel>>(path);
  const { Items: lines = [], HasMoreItems: hasMore = false } = value.value ?? {};
  const last = lines.at(-1);
  return (
    <Panel title={t('Activity')} hint={t('Sign-ins and changes to the account, kept for 90 days.')}>
      <div class="row">
        <SelectField
          label={t('Kind')}
          value={kind.value}
          choices={kindChoices()}
          onChange={(chosen) => {
            kind.value = chosen;
            before.value = [];
          }}
        />
        <TextField label={t('Person or key')} value={typed.value} onChange={(text) => (typed.value = text)} />
      </div>
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <Lines lines={lines} />
      <div class="row">
        <button
          type="button"
          disabled={before.value.length === 0}
          onClick={() => (before.value = before.value.slice(0, -1))}
        >
          {t('Newer')}
        </button>
        <button
          type="button"
          disabled={!hasMore}
          onClick={() => {
            if (last !== undefined) before.value = [...before.value, last.Id];
          }}
        >
          {t('Older')}
        </button>
        <a class="button" href={`${prefix}/audit/export?${filter}`} download="audit.csv">
          {t('Download CSV')}
        </a>
      </div>
    </Panel>
  );
}

function kindChoices() {
  return [
    ['', t('All')],
    ['sign-in', t('Sign-ins')],
    ['people', t('People')],
    ['keys', t('Keys')],
    ['providers', t('Sign-in providers')],
    ['other', t('Other')],
  ] as const;
}

function Lines({ lines }: { lines: readonly AccountAuditLineModel[] }) {
  const labels = useKeyLabels(lines);
  if (lines.length === 0) return <p class="hint">{t('No entries.')}</p>;
  return (
    <Table
      label={t('Activity')}
      head={[t('Time'), t('Person or key'), t('What'), t('Objects'), t('Status'), t('IP address')]}
    >
      {lines.map((line) => (
        <tr key={line.Id}>
          <th scope="row" class="time">
            {moment(line.Date)}
          </th>
          <td>{nameCaller(line, labels.value)}</td>
          <td>
            {tr(actionOf(line.Operation))}
            <AuditChanges changes={line.Changes} />
          </td>
          <td>
            <code class="wrapped">{describeTargets(line.Targets)}</code>
          </td>
          <td>{line.Status}</td>
          <td>{line.Ip}</td>
        </tr>
      ))}
    </Table>
  );
}

function describeTargets(targets: Readonly<Record<string, string>>): string {
  return Object.entries(targets)
    .map(([name, target]) => `${name} ${target}`)
    .join(', ');
}
