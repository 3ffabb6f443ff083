import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { UpdateCollectionModel } from '../models/collection.ts';
import { StatusModel } from '../models/status.ts';
import { CollectionParams, isNamed } from './collection-model.ts';

export const updateCollection = defineOperation({
  name: 'updateCollection',
  method: 'POST',
  path: '/library/{libraryId}/collections/{collectionId}',
  description: 'Renames a collection.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CollectionParams,
  body: UpdateCollectionModel,
  bodyPresence: 'maybe-missing',
  // A body without a name changes nothing.
  checkBody: ({ name }) => (name == null || isNamed(name) ? [] : ['name must have at least one character']),
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params, body }, { collections }: { collections: CollectionStore }) {
    if (body.name == null) await collections.load(params);
    else await collections.rename(params, body.name);
    return ok();
  },
});
