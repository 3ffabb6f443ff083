import { Type } from 'typebox';
import { queryInt32, queryText } from './read-query.ts';

/** Maximum number of entries of a plain list. Larger lists have to be read in pages. */
const MAX_LIST_LENGTH = 10_000;

/** Query of the lists of the account API. Page 0, the default, requests a plain list. */
export const ListQuery = Type.Object({
  page: queryInt32(0, 0),
  perPage: queryInt32(1000, 1, 1000),
  search: queryText(),
});

type Part = { search: string; limit: number; offset: number };
type Page<T> = { Items: T[]; CurrentPage: number; TotalItems: number; HasMoreItems: boolean };

/** Runs a list query: returns a plain list of at most 10,000 items, or one page in its envelope. */
export async function listOrPage<T>(
  { page, perPage, search }: { page: number; perPage: number; search: string },
  list: (part: Part) => Promise<{ total: number; items: T[] }>,
): Promise<T[] | Page<T>> {
  if (page === 0) return (await list({ search, limit: MAX_LIST_LENGTH, offset: 0 })).items;
  const offset = (page - 1) * perPage;
  const { total, items } = await list({ search, limit: perPage, offset });
  return toPage(items, { page, offset, total });
}

/** Wraps one page of items in the envelope of the account API. */
export function toPage<T>(
  items: T[],
  { page, offset, total }: { page: number; offset: number; total: number },
): Page<T> {
  return { Items: items, CurrentPage: page, TotalItems: total, HasMoreItems: offset + items.length < total };
}
