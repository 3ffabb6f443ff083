import { findItemFaults, type ItemFault } from '../../catalog/imports/find-item-faults.ts';
import { fitFields } from '../../catalog/imports/fit-fields.ts';

/**
 * Leaves out the values of an item that the service would refuse: wrong entries of lists, and other fields as a whole.
 */
export function withoutMisfits<Item extends Readonly<Record<string, unknown>>>(
  given: Item,
): { item: Item; misfits: ItemFault[] } {
  // Texts that are too long are shortened, and marks without a title are numbered, instead of being left out.
  const misfits = findItemFaults(fitFields(given).fields);
  const item: Record<string, unknown> = { ...given };
  for (const field of new Set(misfits.map((misfit) => misfit.field))) {
    const indexes = misfits.filter((misfit) => misfit.field === field).map(({ index }) => index);
    const list = item[field];
    if (Array.isArray(list) && !indexes.includes(null))
      item[field] = list.filter((_, index) => !indexes.includes(index));
    else delete item[field];
  }
  // Only optional fields are left out.
  return { item: item as Item, misfits };
}
