import { type Answer, type Connection, callOperation, type Input } from './call.ts';
import type { OperationName, Operations } from './operations.table.ts';

/** A page of a list. The library API and the account API use different spellings. */
type Page = { items?: readonly unknown[]; Items?: readonly unknown[]; totalItems?: number; TotalItems?: number };

/** Operations that return a list page by page. */
export type PagedName = {
  [Name in OperationName]: Operations[Name]['input'] extends { page?: number } ? Name : never;
}[OperationName];

/** Item of a page. */
export type ItemOf<Value> = Value extends { items: (infer Item)[] } | { Items: (infer Item)[] } | (infer Item)[]
  ? Item
  : never;

/** Iterates over all items of a list, and requests each page when it is needed. `input` must not contain `page`. */
export async function* eachItem<Name extends PagedName>(
  connection: Connection,
  name: Name,
  input: Omit<Input<Name>, 'page'> & { signal?: AbortSignal },
): AsyncGenerator<ItemOf<Answer<Name>>, void, undefined> {
  let seen = 0;
  for (let page = 1; ; page += 1) {
    // `page` is a parameter of every operation of PagedName.
    const answer = await callOperation(connection, name, { ...input, page } as Input<Name>);
    const { items, total } = readPage(answer);
    yield* items as ItemOf<Answer<Name>>[];
    seen += items.length;
    if (items.length === 0 || seen >= total) return;
  }
}

function readPage(answer: unknown): { items: readonly unknown[]; total: number } {
  if (Array.isArray(answer)) return { items: answer, total: answer.length };
  const { items, Items, totalItems, TotalItems } = Object(answer) as Page;
  const all = items ?? Items ?? [];
  return { items: all, total: totalItems ?? TotalItems ?? all.length };
}
