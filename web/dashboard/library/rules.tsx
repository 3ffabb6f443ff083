import type { PullZoneModel } from '../../../src/api/models/pull-zone.ts';
import { api } from '../base/api.ts';
import { useDraft } from '../base/drafts.ts';
import { t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { session } from '../base/session.ts';
import { Check, NumberField, Panel } from '../parts/fields.tsx';
import { Loading } from '../parts/parts.tsx';
import { TestAddress } from '../parts/test-address.tsx';

/**
 * The rules of the library's pull zone that control who receives the bytes, and a box that tests a URL against
 * them.
 */
export function Rules({ zoneId }: { zoneId: number }) {
  const { value, error, again } = useLoaded<PullZoneModel>(`/pullzone/${zoneId}`);
  if (value.value === null) return <Loading error={error.value} />;
  return (
    <div class="stack">
      <TestAddress zoneId={zoneId} address={`${session.value?.edgeUrl ?? ''}/${value.value.Name ?? ''}/`} />
      <RulesForm key={zoneId} zone={value.value} onSaved={again} />
    </div>
  );
}

const LISTS = [
  [
    'AllowedReferrers',
    'Allowed domains',
    'One host per line. *.example.com includes all subdomains. Leave empty to allow all.',
  ],
  ['BlockedReferrers', 'Blocked domains', 'One host per line.'],
  ['BlockedIps', 'Blocked IP addresses', 'One address or network per line.'],
  ['BlockedCountries', 'Blocked countries', 'Country codes such as DE, one per line.'],
] as const;

const FLAGS = [
  ['ZoneSecurityEnabled', 'Signed URLs only'],
  ['ZoneSecurityIncludeHashRemoteIP', 'Tokens are valid for one IP address'],
  ['BlockNoneReferrer', 'Block requests without a referrer'],
  ['BlockPostRequests', 'Block POST requests'],
] as const;

const LIMITS = [
  ['RequestLimit', 'Requests per second per IP address'],
  ['BurstSize', 'Request burst'],
  ['ConnectionLimitPerIPCount', 'Connections per IP address'],
] as const;

function RulesForm({ zone, onSaved }: { zone: PullZoneModel; onSaved: () => void }) {
  const { value, resets, change } = useDraft(zone, {
    name: t('Rules'),
    done: t('Rules saved. They take effect within seconds.'),
    async save(edits) {
      await api('POST', `/pullzone/${zone.Id}`, edits);
      onSaved();
    },
  });
  return (
    <div class="settings" key={resets}>
      <div class="columns">
        {LISTS.map(([field, title, hint]) => (
          <Panel key={field} title={tr(title)} hint={tr(hint)}>
            <textarea
              rows={4}
              aria-label={tr(title)}
              defaultValue={value[field].join('\n')}
              onInput={({ currentTarget }) => change({ [field]: lines(currentTarget.value) })}
            />
          </Panel>
        ))}
        <Panel title={t('Requests')}>
          {FLAGS.map(([field, label]) => (
            <Check key={field} label={tr(label)} value={value[field]} onChange={(isOn) => change({ [field]: isOn })} />
          ))}
        </Panel>
        <Panel title={t('Limits')} hint={t('0 means no limit.')}>
          {LIMITS.map(([field, label]) => (
            <NumberField
              key={field}
              label={tr(label)}
              value={value[field]}
              onChange={(to) => change({ [field]: to })}
            />
          ))}
        </Panel>
      </div>
    </div>
  );
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
