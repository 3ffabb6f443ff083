import { Type } from 'typebox';
import type { BulkStore } from '../../catalog/bulk/bulk-store.ts';
import { defineOperation } from '../define-operation.ts';
import { BulkModel } from '../models/bulk.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { toBulkModel } from './bulk-model.ts';

/** Not part of the hosted API. */
export const getBulk = defineOperation({
  name: 'getBulk',
  summary: 'Get a bulk operation',
  method: 'GET',
  path: '/library/{libraryId}/bulk/{bulkId}',
  description: 'Returns the progress of a bulk operation, and the videos that failed with their reasons.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: Type.Object({ ...LibraryParams.properties, bulkId: guidParam('bulk operation') }),
  answer: BulkModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, bulkId } }, { bulks }: { bulks: BulkStore }) {
    return toBulkModel(await bulks.load({ libraryId, bulkId }));
  },
});
