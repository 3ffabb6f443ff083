import { Type } from 'typebox';
import type { VideoOrder } from '../../catalog/videos/video-page-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { VISIBILITIES } from '../../catalog/visibility.ts';
import { readGuid } from '../../lib/guid.ts';
import { defineOperation } from '../define-operation.ts';
import { PaginationListOfVideoModel } from '../models/video.ts';
import { readStates } from '../models/video-status.ts';
import { LibraryParams } from '../read-params.ts';
import { maybe, PAGING, queryFlag, queryOrder, queryText, queryWord, requireOrder } from '../read-query.ts';
import { recallShowing, type ShowingDeps, toVideoModel } from './video-model.ts';

type Deps = ShowingDeps & { videoViews: VideoViewStore };

const ORDERS: ReadonlyMap<string, VideoOrder> = new Map(
  (['date', 'title', 'status', 'views', 'length', 'size'] as const).map((order) => [order, order]),
);

export const listVideos = defineOperation({
  name: 'listVideos',
  method: 'GET',
  path: '/library/{libraryId}/videos',
  description:
    'Lists the videos of a library, one page at a time, newest first. `search` matches any part of the title.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  // Not part of the hosted API: `incomplete` (only finished videos with failed renditions), `status` (comma-separated
  // numbers), `tag` (a meta tag's property or value, or `property=value`), `visibility`, `direction` (`asc` or `desc`),
  // `dateFrom` (inclusive) and `dateTo` (exclusive), which limit the creation time.
  query: Type.Object({
    ...PAGING,
    search: queryText(),
    collection: queryText(),
    orderBy: queryOrder('date', [...ORDERS.keys()]),
    incomplete: queryFlag(false),
    status: queryText(),
    tag: queryText(),
    visibility: queryWord('', VISIBILITIES),
    direction: queryText(),
    dateFrom: maybe.dateTime(),
    dateTo: maybe.dateTime(),
  }),
  answer: PaginationListOfVideoModel,
  async run({ params: { libraryId }, query, address }, { videoViews, ...deps }: Deps) {
    const { page, itemsPerPage, search, collection, orderBy, incomplete, status, tag, direction } = query;
    requireOrder(query, 'dateFrom', 'dateTo');
    const order = ORDERS.get(orderBy.toLowerCase()) ?? 'date';
    const { total, items } = await videoViews.list({
      libraryId,
      page,
      itemsPerPage,
      search,
      collection: collection === '' ? null : (readGuid(collection) ?? 'none'),
      orderBy: order,
      isIncomplete: incomplete,
      states: readStates(status),
      tag,
      visibility: query.visibility === '' ? null : query.visibility,
      madeFrom: timeOf(query.dateFrom),
      madeBefore: timeOf(query.dateTo),
      isReversed: direction.toLowerCase() === (order === 'title' || order === 'status' ? 'desc' : 'asc'),
    });
    const showing = await recallShowing(libraryId, { address, views: items }, deps);
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: items.map((view) => toVideoModel(view, showing)),
    };
  },
});

function timeOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text);
}
