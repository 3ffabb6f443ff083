import { useSignal } from '@preact/signals';
import type { Static } from 'typebox';
import type { ExplanationModel as ExplanationSchema } from '../../../src/api/models/explanation.ts';
import type { PullZoneModel } from '../../../src/api/models/pull-zone.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { useLoaded } from '../base/load.ts';
import { session } from '../base/session.ts';
import { Check, NumberField, Panel, Table, TextField } from '../parts/fields.tsx';
import { CopyField, Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type Explained = Static<typeof ExplanationSchema>;

/** Who gets the bytes: the rules of the library's pull zone, and a box that says what they make of an address. */
export function Rules({ zoneId }: { zoneId: number }) {
  const { value, error, again } = useLoaded<PullZoneModel>(`/pullzone/${zoneId}`);
  if (value.value === null) return error.value === null ? null : <Notice kind="error">{error.value}</Notice>;
  return (
    <div class="stack">
      <TestAddress zone={value.value} />
      <RulesForm key={zoneId} zone={value.value} onSaved={again} />
    </div>
  );
}

function TestAddress({ zone }: { zone: PullZoneModel }) {
  const url = useSignal(`${session.value?.edgeUrl ?? ''}/${zone.Name ?? ''}/`);
  const referrer = useSignal('');
  const ip = useSignal('');
  const found = useSignal<Explained | null>(null);
  const testing = useAction();
  const test = (event: Event) => {
    event.preventDefault();
    void testing.run(async () => {
      found.value = await api<Explained>('POST', `/pullzone/${zone.Id}/explain`, {
        Url: url.value,
        ...(ip.value !== '' && { RemoteIp: ip.value }),
        Headers: referrer.value === '' ? {} : { Referer: referrer.value },
      });
    });
  };
  return (
    <Panel title="Test an address" hint="Judged as the edge would, without counting it: each rule and what it found.">
      <form class="stack" onSubmit={test}>
        <TextField label="Address, with its token" value={url.value} onChange={(text) => (url.value = text)} />
        <div class="columns tight">
          <TextField
            label="Sent by the page (referrer)"
            value={referrer.value}
            onChange={(text) => (referrer.value = text)}
          />
          <TextField label="Viewer's IP address" value={ip.value} onChange={(text) => (ip.value = text)} />
        </div>
        <div class="row">
          <button type="submit" class="primary" disabled={testing.isBusy.value}>
            Test
          </button>
        </div>
      </form>
      {testing.error.value !== null && <Notice kind="error">{testing.error.value}</Notice>}
      {found.value !== null && <Explanation found={found.value} />}
    </Panel>
  );
}

function Explanation({ found }: { found: Explained }) {
  const isAdmitted = found.Verdict === 'Admitted';
  return (
    <>
      <Notice kind={isAdmitted ? 'done' : 'error'}>
        {isAdmitted ? 'Let in.' : `Refused by the rule ${found.RuleId ?? ''}.`} {found.NearMiss}
      </Notice>
      <Table label="Rules" head={['Rule', 'Verdict', 'Expected', 'Came']}>
        {found.Stages.map(({ Stage, Verdict, Expected, Came }) => (
          <tr key={Stage}>
            <th scope="row">{Stage}</th>
            <td>{Verdict}</td>
            <td>{Expected}</td>
            <td>{Came}</td>
          </tr>
        ))}
      </Table>
      {found.SignedString !== null && <CopyField label="What the token signs" text={found.SignedString} isWrapped />}
    </>
  );
}

const LISTS = [
  ['AllowedReferrers', 'Pages that may embed', 'A host a line; *.example.com takes in all below it. Empty: all.'],
  ['BlockedReferrers', 'Pages that may not embed', 'A host a line.'],
  ['BlockedIps', 'Refused IP addresses', 'An address or network a line.'],
  ['BlockedCountries', 'Refused countries', 'Codes such as DE, one a line.'],
] as const;

const FLAGS = [
  ['ZoneSecurityEnabled', 'Signed addresses only'],
  ['ZoneSecurityIncludeHashRemoteIP', 'Tokens hold for one IP address'],
  ['BlockNoneReferrer', 'Refuse requests without a referrer'],
  ['BlockPostRequests', 'Refuse POST requests'],
] as const;

const LIMITS = [
  ['RequestLimit', 'Requests a second of one IP address'],
  ['BurstSize', 'Requests at once'],
  ['ConnectionLimitPerIPCount', 'Connections of one IP address'],
] as const;

function RulesForm({ zone, onSaved }: { zone: PullZoneModel; onSaved: () => void }) {
  const changes = useSignal<Partial<PullZoneModel>>({});
  const saving = useAction();
  const shown = { ...zone, ...changes.value };
  const save = async (event: Event) => {
    event.preventDefault();
    if (!(await saving.run(() => api('POST', `/pullzone/${zone.Id}`, changes.value)))) return;
    changes.value = {};
    toast('The rules are saved; the edges follow within seconds.');
    onSaved();
  };
  return (
    <form class="settings" onSubmit={save}>
      <div class="columns">
        {LISTS.map(([field, title, hint]) => (
          <Panel key={field} title={title} hint={hint}>
            <textarea
              rows={4}
              aria-label={title}
              defaultValue={shown[field].join('\n')}
              onInput={({ currentTarget }) =>
                (changes.value = { ...changes.value, [field]: lines(currentTarget.value) })
              }
            />
          </Panel>
        ))}
        <Panel title="Requests">
          {FLAGS.map(([field, label]) => (
            <Check
              key={field}
              label={label}
              value={shown[field]}
              onChange={(isOn) => (changes.value = { ...changes.value, [field]: isOn })}
            />
          ))}
        </Panel>
        <Panel title="Limits" hint="0 is no limit.">
          {LIMITS.map(([field, label]) => (
            <NumberField
              key={field}
              label={label}
              value={shown[field]}
              onChange={(to) => (changes.value = { ...changes.value, [field]: to })}
            />
          ))}
        </Panel>
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={Object.keys(changes.value).length === 0 || saving.isBusy.value}>
          Save rules
        </button>
        {saving.error.value !== null && <Notice kind="error">{saving.error.value}</Notice>}
      </div>
    </form>
  );
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
