import { Type } from 'typebox';
import type { LiveOrder } from '../../catalog/live/streams/live-page-store.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { PaginationListOfLiveStreamModel } from '../models/live-stream.ts';
import { LibraryParams } from '../read-params.ts';
import { PAGING, queryText } from '../read-query.ts';
import { audienceOf, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

const ORDERS: readonly LiveOrder[] = ['date', 'title', 'status', 'started', 'ended', 'planned'];

export const listLiveStreams = defineOperation({
  name: 'listLiveStreams',
  method: 'GET',
  path: '/library/{libraryId}/live',
  description: "Answers a page of a library's live streams. Keys and relays are shown to full keys only.",
  auth: 'access-key',
  params: LibraryParams,
  query: Type.Object({ ...PAGING, search: queryText(), orderBy: queryText('date'), collectionId: queryText() }),
  answer: PaginationListOfLiveStreamModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'text',
  async run(
    { params: { libraryId }, query, grant, address },
    { live, ...deps }: LiveShowingDeps & { live: LiveStore },
  ) {
    const { page, itemsPerPage, search } = query;
    const showing = await recallLiveShowing(libraryId, address, deps);
    const orderBy = readOrder(query.orderBy);
    const collection = query.collectionId === '' ? null : (parseGuid(query.collectionId) ?? 'none');
    const { total, items } = await live.list({ libraryId, page, itemsPerPage, search, orderBy, collection });
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: items.map((view) => toLiveModel(view, showing, audienceOf(grant))),
    };
  },
});

/** Interface section 4.2 names the allowed values, and a 400. */
function readOrder(text: string): LiveOrder {
  const order = ORDERS.find((known) => known === text.toLowerCase());
  if (order !== undefined) return order;
  throw new Refused('invalid', `Expected orderBy to be one of ${ORDERS.join(', ')}. Use one of them.`);
}
