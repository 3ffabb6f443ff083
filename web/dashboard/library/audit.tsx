import { useSignal } from '@preact/signals';
import type { PaginationListModelOfAuditLineModel } from '../../../src/api/models/audit.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { moment } from '../base/words.ts';
import { Table } from '../parts/fields.tsx';
import { Notice, Pager } from '../parts/parts.tsx';

const PER_PAGE = 50;

/** Log of changes: who made each one, when, from where, and with what result. */
export function Audit({ libraryId }: { libraryId: number }) {
  const page = useSignal(1);
  const { value, error } = useLoaded<PaginationListModelOfAuditLineModel>(
    `/videolibrary/${libraryId}/audit?page=${page.value}&perPage=${PER_PAGE}`,
  );
  const found = value.value;
  return (
    <div class="stack">
      {error.value !== null && <Notice kind="error">{error.value}</Notice>}
      <Table
        label={t('Audit log')}
        head={[t('Time'), t('Operation'), t('Key'), t('IP address'), t('Status'), t('Target'), t('Request')]}
      >
        {found?.Items.map((line) => (
          <tr key={line.Id}>
            <td>{moment(line.Date)}</td>
            <th scope="row">{line.Operation}</th>
            <td>
              {line.Key} <span class="hint">{line.Scope}</span>
            </td>
            <td>{line.Ip}</td>
            <td>{line.Status}</td>
            <td>
              <code class="wrapped">{Object.values(line.Targets).join(' ')}</code>
            </td>
            <td>
              <code>{line.RequestId}</code>
            </td>
          </tr>
        ))}
      </Table>
      {found !== null && <Pager page={page} total={found.TotalItems} perPage={PER_PAGE} />}
    </div>
  );
}
