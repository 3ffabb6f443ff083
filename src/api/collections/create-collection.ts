import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CollectionModel, UpdateCollectionModel } from '../models/collection.ts';
import { LibraryParams } from '../read-params.ts';
import { isNamed, toCollectionModel } from './collection-model.ts';

export const createCollection = defineOperation({
  name: 'createCollection',
  method: 'POST',
  path: '/library/{libraryId}/collections',
  description: 'Creates a collection, which groups videos of a library.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  body: UpdateCollectionModel,
  checkBody: ({ name }) => (isNamed(name) ? [] : ['name must have at least one character']),
  answer: CollectionModel,
  refusals: { forbidden: 403 },
  async run({ params: { libraryId }, body }, { collections }: { collections: CollectionStore }) {
    const key = await collections.create(libraryId, body.name ?? '');
    return toCollectionModel(await collections.load(key), null);
  },
});
