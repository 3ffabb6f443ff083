import { Type } from 'typebox';
import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CollectionModel } from '../models/collection.ts';
import { queryFlag } from '../read-query.ts';
import { CollectionParams, type ImagesDeps, recallImages, toCollectionModel } from './collection-model.ts';

type Deps = ImagesDeps & { collections: CollectionStore };

export const getCollection = defineOperation({
  name: 'getCollection',
  method: 'GET',
  path: '/library/{libraryId}/collections/{collectionId}',
  description:
    'Returns a collection with its counts. With `includeThumbnails`, it also returns the thumbnails of its newest ' +
    'videos.',
  auth: 'access-key',
  permission: 'videos.read',
  params: CollectionParams,
  query: Type.Object({ includeThumbnails: queryFlag(false) }),
  answer: CollectionModel,
  refusals: { 'not-found': 404 },
  async run({ params, query, address }, { collections, ...deps }: Deps) {
    const images = query.includeThumbnails ? await recallImages(params.libraryId, address, deps) : null;
    return toCollectionModel(await collections.load(params), images);
  },
});
