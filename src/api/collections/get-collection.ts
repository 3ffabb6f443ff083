import { Type } from 'typebox';
import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CollectionModel } from '../models/collection.ts';
import { queryFlag } from '../read-query.ts';
import { CollectionParams, recallImages, toCollectionModel } from './collection-model.ts';

type Deps = { collections: CollectionStore; libraries: LibraryStore; edgeUrl: string };

export const getCollection = defineOperation({
  name: 'getCollection',
  method: 'GET',
  path: '/library/{libraryId}/collections/{collectionId}',
  description: 'Reads a collection with its counts; with includeThumbnails also the thumbnails of its newest videos.',
  auth: 'access-key',
  params: CollectionParams,
  query: Type.Object({ includeThumbnails: queryFlag(false) }),
  answer: CollectionModel,
  refusals: { 'not-found': 404 },
  async run({ params, query }, { collections, ...deps }: Deps) {
    const images = await recallImages(params.libraryId, query.includeThumbnails, deps);
    return toCollectionModel(await collections.load(params), images);
  },
});
