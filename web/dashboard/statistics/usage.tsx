import type { UsageModel } from '../../../src/api/models/quota.ts';
import { t } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { bytes, plural } from '../base/words.ts';
import { Table } from '../parts/fields.tsx';
import { monthName } from './period-picker.tsx';

type Month = UsageModel['months'][number];

/** Storage, encoded minutes and bandwidth by month, the newest first, with a forecast for the current one. */
export function Usage({ libraryId }: { libraryId: number }) {
  const { value } = useLoaded<UsageModel>(`/library/${libraryId}/statistics/usage`);
  const found = value.value;
  if (found === null || !found.months.some(isUsed)) return null;
  const { forecast } = found;
  return (
    <section class="panel">
      <h2>{t('Usage by month')}</h2>
      <Table label={t('Usage by month')} head={[t('Month'), t('Storage'), t('Encoded'), t('Delivered')]}>
        <tr class="sum">
          <th scope="row">{t('End of {0} (forecast)', monthName(forecast.month))}</th>
          <Cells month={forecast} />
        </tr>
        {found.months.toReversed().map((month) => (
          <tr key={month.month}>
            <th scope="row">
              {month.month === forecast.month ? t('{0} so far', monthName(month.month)) : monthName(month.month)}
            </th>
            <Cells month={month} />
          </tr>
        ))}
      </Table>
      <p class="hint">
        {t('The forecast continues this month at its pace. Early in a month, it also uses the pace of the last one.')}
      </p>
    </section>
  );
}

function Cells({ month: { storageBytes, encodedMinutes, bandwidthBytes } }: { month: Month }) {
  return (
    <>
      <td>{storageBytes === null ? '–' : bytes(storageBytes)}</td>
      <td>{plural(encodedMinutes, 'minute')}</td>
      <td>{bytes(bandwidthBytes)}</td>
    </>
  );
}

function isUsed({ storageBytes, encodedMinutes, bandwidthBytes }: Month): boolean {
  return (storageBytes ?? 0) > 0 || encodedMinutes > 0 || bandwidthBytes > 0;
}
