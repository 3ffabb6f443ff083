import { useSignal } from '@preact/signals';
import type { Static } from 'typebox';
import type { ExplanationModel as ExplanationSchema } from '../../../src/api/models/explanation.ts';
import { useAction } from '../base/action.ts';
import { api } from '../base/api.ts';
import { t } from '../base/language.ts';
import { Panel, Table, TextField } from './fields.tsx';
import { CopyField, Notice } from './parts.tsx';

type Explained = Static<typeof ExplanationSchema>;

/** Tests a request against the rules of a pull zone, as the edge would, and shows the result of each rule. */
export function TestAddress({ zoneId, address }: { zoneId: number; address: string }) {
  const url = useSignal(address);
  const referrer = useSignal('');
  const ip = useSignal('');
  const country = useSignal('');
  const found = useSignal<Explained | null>(null);
  const testing = useAction();
  const test = (event: Event) => {
    event.preventDefault();
    void testing.run(async () => {
      found.value = await api<Explained>('POST', `/pullzone/${zoneId}/explain`, {
        Url: url.value,
        ...(ip.value !== '' && { RemoteIp: ip.value }),
        ...(country.value !== '' && { Country: country.value }),
        Headers: referrer.value === '' ? {} : { Referer: referrer.value },
      });
    });
  };
  return (
    <Panel title={t('Test a URL')} hint={t('Checks each rule as the edge would, without counting the request.')}>
      <form class="stack" onSubmit={test}>
        <TextField label={t('URL, including the token')} value={url.value} onChange={(text) => (url.value = text)} />
        <div class="columns tight">
          <TextField label={t('Referrer')} value={referrer.value} onChange={(text) => (referrer.value = text)} />
          <TextField label={t("Viewer's IP address")} value={ip.value} onChange={(text) => (ip.value = text)} />
          <TextField
            label={t("Viewer's country (DE, US, …)")}
            value={country.value}
            onChange={(text) => (country.value = text.slice(0, 2).toUpperCase())}
          />
        </div>
        <div class="row">
          <button type="submit" class="primary" disabled={testing.isBusy.value}>
            {t('Test')}
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
        {isAdmitted ? t('Allowed.') : t('Blocked by the rule {0}.', found.RuleId ?? '')} {found.NearMiss}
      </Notice>
      <Table label={t('Rules')} head={[t('Rule'), t('Result'), t('Expected'), t('Received')]}>
        {found.Stages.map(({ Stage, Verdict, Expected, Came }) => (
          <tr key={Stage}>
            <th scope="row">{Stage}</th>
            <td>{Verdict}</td>
            <td>{Expected}</td>
            <td>{Came}</td>
          </tr>
        ))}
      </Table>
      {found.SignedString !== null && (
        <CopyField label={t('String signed by the token')} text={found.SignedString} isWrapped />
      )}
    </>
  );
}
