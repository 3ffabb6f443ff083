import { Type } from 'typebox';
import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import { defineOperation } from '../define-operation.ts';
import { PaginationListOfCollectionModel } from '../models/collection.ts';
import { LibraryParams } from '../read-params.ts';
import { PAGING, queryFlag, queryOrder, queryText } from '../read-query.ts';
import { type ImagesDeps, recallImages, toCollectionModel } from './collection-model.ts';

type Deps = ImagesDeps & { collections: CollectionStore };

export const listCollections = defineOperation({
  name: 'listCollections',
  method: 'GET',
  path: '/library/{libraryId}/collections',
  description:
    'Lists the collections of a library, one page at a time. The newest come first unless `orderBy` is `name`.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  query: Type.Object({
    ...PAGING,
    search: queryText(),
    orderBy: queryOrder('date', ['date', 'name', 'title']),
    includeThumbnails: queryFlag(false),
  }),
  answer: PaginationListOfCollectionModel,
  async run({ params: { libraryId }, query, address }, { collections, ...deps }: Deps) {
    const { page, itemsPerPage, search, includeThumbnails } = query;
    const orderBy = ['name', 'title'].includes(query.orderBy.toLowerCase()) ? 'name' : 'date';
    const images = includeThumbnails ? await recallImages(libraryId, address, deps) : null;
    const { total, items } = await collections.list({ libraryId, page, itemsPerPage, search, orderBy });
    return {
      totalItems: total,
      currentPage: page,
      itemsPerPage,
      items: items.map((view) => toCollectionModel(view, images)),
    };
  },
});
