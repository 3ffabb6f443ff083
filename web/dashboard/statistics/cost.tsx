import { useSignal } from '@preact/signals';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { language, t, tr } from '../base/language.ts';
import { useLoaded } from '../base/load.ts';
import { amount, plural } from '../base/words.ts';
import { Table } from '../parts/fields.tsx';
import { monthlyCost, PRICE_LISTS, type PriceList, type Usage } from './prices.ts';

/** Number of the newest videos whose lengths and sizes are read. The others are assumed to be similar. */
const SAMPLE = 200;
const dollars = (value: number) =>
  new Intl.NumberFormat(language.value, { style: 'currency', currency: 'USD' }).format(value);
/** Average bitrate per viewer, for services that bill by the gigabyte. */
const USUAL_MBPS = 2.5;

const FIELDS: readonly (readonly [keyof Omit<PriceList, 'name' | 'asOf'>, string])[] = [
  ['storedPerMinuteMonth', 'Storage, per minute per month'],
  ['storedPerGigabyteMonth', 'Storage, per GB per month'],
  ['encodedPerMinute', 'Encoding, per minute'],
  ['deliveredPerMinute', 'Delivery, per minute'],
  ['deliveredPerGigabyte', 'Delivery, per GB'],
];

type CostProps = { libraryId: number; watchedSec: number; days: number };

/**
 * Estimates the library's cost at a hosted service, by editable price lists, next to the cost of the owner's power and
 * disks.
 */
export function Cost({ libraryId, watchedSec, days }: CostProps) {
  const { value } = useLoaded<PaginationListOfVideoModel>(`/library/${libraryId}/videos?itemsPerPage=${SAMPLE}`);
  const lists = useSignal<readonly PriceList[]>(PRICE_LISTS);
  const watts = useSignal(30);
  const perKilowattHour = useSignal(0.3);
  const found = value.value;
  if (found === null || found.items.length === 0) return null;
  const usage = usageOf(found, { watchedSec, days });
  const own = (watts.value / 1000) * 24 * 30 * perKilowattHour.value;
  const change = (index: number, field: keyof PriceList, to: number) => {
    lists.value = lists.value.map((list, at) => (at === index ? { ...list, [field]: to } : list));
  };
  return (
    <section class="panel cost">
      <h2>{t('Monthly cost elsewhere')}</h2>
      <p class="hint">
        {t(
          '{0} ({1} GB) stored, {2} watched per month. The prices are examples. Enter the ones you want to compare.',
          plural(Math.round(usage.storedMinutes), 'minute'),
          amount(usage.storedGigabytes, 1),
          plural(Math.round(usage.deliveredMinutes), 'minute'),
        )}
      </p>
      <Table label={t('Costs')} head={[t('Price'), ...lists.value.map(({ name, asOf }) => `${tr(name)} (${asOf})`)]}>
        {FIELDS.map(([field, label]) => (
          <tr key={field}>
            <th scope="row">{tr(label)}</th>
            {lists.value.map((list, index) => (
              <td key={list.name}>
                <Price
                  label={`${tr(list.name)}: ${tr(label)}`}
                  value={list[field]}
                  onChange={(to) => change(index, field, to)}
                />
              </td>
            ))}
          </tr>
        ))}
        <tr class="sum">
          <th scope="row">{t('Per month')}</th>
          {lists.value.map((list) => (
            <td key={list.name}>
              <strong>{dollars(monthlyCost(usage, list))}</strong>
            </td>
          ))}
        </tr>
      </Table>
      <div class="row">
        <span>{t('Power here:')}</span>
        <Price label={t('Watts')} value={watts.value} onChange={(to) => (watts.value = to)} />
        <span>{t('W at')}</span>
        <Price
          label={t('Price per kilowatt hour')}
          value={perKilowattHour.value}
          onChange={(to) => (perKilowattHour.value = to)}
        />
        <span>
          {t('per kWh')}: <strong>{dollars(own)}</strong> {t('per month, plus your own disks.')}
        </span>
      </div>
    </section>
  );
}

function usageOf(found: PaginationListOfVideoModel, { watchedSec, days }: Omit<CostProps, 'libraryId'>): Usage {
  const scale = found.totalItems / found.items.length;
  const minutes = (found.items.reduce((sum, { length }) => sum + length, 0) / 60) * scale;
  const gigabytes = (found.items.reduce((sum, { storageSize }) => sum + storageSize, 0) / 1e9) * scale;
  const deliveredMinutes = (watchedSec / 60) * (30 / days);
  return {
    storedMinutes: minutes,
    storedGigabytes: gigabytes,
    encodedMinutes: 0,
    deliveredMinutes,
    deliveredGigabytes: (deliveredMinutes * 60 * USUAL_MBPS) / 8000,
  };
}

function Price({ label, value, onChange }: { label: string; value: number; onChange: (to: number) => void }) {
  return (
    <input
      type="number"
      class="price"
      aria-label={label}
      min={0}
      step="any"
      value={value}
      onInput={({ currentTarget: { valueAsNumber } }) => {
        if (Number.isFinite(valueAsNumber)) onChange(valueAsNumber);
      }}
    />
  );
}
