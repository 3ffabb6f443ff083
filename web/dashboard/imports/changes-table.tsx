import type { RestoredSettingsModel } from '../../../src/api/models/portable-settings.ts';
import { t } from '../base/language.ts';
import { Table } from '../parts/fields.tsx';

type Props = { changes: RestoredSettingsModel['changes']; wanted: string };

/** Shows settings with their current and their new values. `wanted` is the heading of the new values. */
export function ChangesTable({ changes, wanted }: Props) {
  return (
    <div class="log-cards">
      <Table label={t('Changes')} head={[t('Setting'), t('Now'), wanted]}>
        {changes.map(({ field, from, to }) => (
          <tr key={`${field} ${to}`}>
            <th scope="row">{field}</th>
            <td data-name={t('Now')}>{shown(from)}</td>
            <td data-name={wanted}>{shown(to)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** Maximum characters of a value. Images are long. */
const MAX_SHOWN_CHARS = 60;

function shown(value: string | null): string {
  if (value === null) return '–';
  return value.length <= MAX_SHOWN_CHARS ? value : `${value.slice(0, MAX_SHOWN_CHARS)}…`;
}
