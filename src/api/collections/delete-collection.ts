import type { CollectionStore } from '../../catalog/collections/collection-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { CollectionParams } from './collection-model.ts';

export const deleteCollection = defineOperation({
  name: 'deleteCollection',
  method: 'DELETE',
  path: '/library/{libraryId}/collections/{collectionId}',
  description: 'Deletes a collection. Its videos stay in the library, without a collection.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: CollectionParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params }, { collections }: { collections: CollectionStore }) {
    await collections.remove(params);
    return ok();
  },
});
