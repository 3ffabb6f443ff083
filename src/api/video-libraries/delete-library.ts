import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { deleteLibrary as deleteLibraryJob } from '../../jobs/housekeeping/delete-library.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { CoreLibraryParams } from './core-library.ts';

type Deps = { libraries: LibraryStore; queue: Queue };

export const deleteLibrary = defineOperation({
  name: 'deleteLibrary',
  method: 'DELETE',
  path: '/videolibrary/{id}',
  description: 'Deletes a library and all of its videos permanently.',
  auth: 'account-key',
  permission: 'library.delete',
  params: CoreLibraryParams,
  answer: null,
  answerStatus: 204,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id } }, { libraries, queue }: Deps) {
    await libraries.remove(id, queue.send(deleteLibraryJob, { libraryId: id }));
    return null;
  },
});
