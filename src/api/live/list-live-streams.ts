import { Type } from 'typebox';
import type { LiveOrder } from '../../catalog/live/streams/live-page-store.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PaginationListOfLiveStreamModel } from '../models/live-stream.ts';
import { LibraryParams } from '../read-params.ts';
import { PAGING, queryGuid, queryText, queryWord } from '../read-query.ts';
import { audienceOf, type LiveShowingDeps, recallLiveShowing, toLiveModel } from './live-model.ts';

const ORDERS = ['date', 'title', 'status', 'started', 'ended', 'planned'] as const satisfies LiveOrder[];

export const listLiveStreams = defineOperation({
  name: 'listLiveStreams',
  method: 'GET',
  path: '/library/{libraryId}/live',
  description:
    'Lists the live streams of a library, one page at a time. Read-only keys do not get stream keys and relays.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  query: Type.Object({ ...PAGING, search: queryText(), orderBy: queryWord('date', ORDERS), collectionId: queryGuid() }),
  answer: PaginationListOfLiveStreamModel,
  refusals: { invalid: 400, 'not-found': 404 },
  errorShape: 'text',
  async run(
    { params: { libraryId }, query, grant, address },
    { live, ...deps }: LiveShowingDeps & { live: LiveStore },
  ) {
    const { page, itemsPerPage, search, orderBy } = query;
    const showing = await recallLiveShowing(libraryId, address, deps);
    const collection = query.collectionId === '' ? null : query.collectionId;
    const { total, items } = await live.list({ libraryId, page, itemsPerPage, search, orderBy, collection });
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: items.map((view) => toLiveModel(view, showing, audienceOf(grant))),
    };
  },
});
