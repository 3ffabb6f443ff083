import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { NoQuery } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';
import { removePicture } from './stored-picture.ts';

type Deps = { libraries: LibraryStore; storage: Storage };

export const deleteWatermark = defineOperation({
  name: 'deleteWatermark',
  method: 'DELETE',
  path: '/videolibrary/{id}/watermark',
  description: 'Deletes the watermark of a library; videos that were encoded with it keep it.',
  auth: 'account-key',
  params: CoreLibraryParams,
  query: NoQuery,
  body: null,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, signal }, { libraries, storage }: Deps) {
    await removePicture({ libraryId: id, picture: 'watermark' }, { libraries, storage }, signal);
    return null;
  },
});
