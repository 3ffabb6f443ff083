import type { EventLogsSearchResponse } from '../../../src/api/models/event-search.ts';
import { useAction } from '../base/action.ts';
import { api, describeError } from '../base/api.ts';
import { t } from '../base/language.ts';
import { dateFormat } from '../base/words.ts';
import { Notice } from '../parts/parts.tsx';
import { toast } from '../parts/toasts.tsx';

type Event = NonNullable<EventLogsSearchResponse['rows']>[number];

const TIME = { timeStyle: 'medium' } as const;

/** A refused or logged request with all its fields, and a button that blocks its sender. */
export function EventRow({ zoneId, event: { timestamp, log, fields } }: { zoneId: number; event: Event }) {
  const blocking = useAction();
  const { ruleId, action, country, ip = '', method, url } = fields;
  const change = (verb: 'add' | 'remove') => api('POST', `/pullzone/${zoneId}/${verb}BlockedIp`, { BlockedIp: ip });
  const block = () =>
    blocking.run(async () => {
      await change('add');
      toast(t('{0} is now blocked.', ip), {
        label: t('Undo'),
        run: () => void change('remove').catch((reason: unknown) => toast(describeError(reason))),
      });
    });
  return (
    <tr>
      <td>{dateFormat(TIME).format(new Date(timestamp))}</td>
      <th scope="row">{ruleId}</th>
      <td>{action}</td>
      <td>{country}</td>
      <td>{ip}</td>
      <td>
        <details>
          <summary>
            <code class="wrapped">
              {method} {url}
            </code>
          </summary>
          <code class="wrapped">{log}</code>
        </details>
      </td>
      <td>
        {ip !== '' && (
          <button type="button" disabled={blocking.isBusy.value} onClick={block}>
            {blockLabel(ip)}
          </button>
        )}
        {blocking.error.value !== null && <Notice kind="error">{blocking.error.value}</Notice>}
      </td>
    </tr>
  );
}

/** Blocking a shortened address blocks all addresses that are shown the same way. */
function blockLabel(ip: string): string {
  if (ip.endsWith('.*')) return t('Block the 256 addresses {0}', ip);
  return ip.includes('/') ? t('Block the network {0}', ip) : t('Block {0}', ip);
}
