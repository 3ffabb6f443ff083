import type { RetryStore } from '../../catalog/lifecycle/retry-store.ts';
import { planRetry } from '../../jobs/planning/plan-retry.ts';
import { defineOperation } from '../define-operation.ts';
import { RetryIncompleteModel } from '../models/retry-incomplete.ts';
import { LibraryParams } from '../read-params.ts';

type Deps = { retries: RetryStore };

/** Not part of the hosted API: encodes the failed renditions of all finished, incomplete videos of a library again. */
export const retryIncomplete = defineOperation({
  name: 'retryIncomplete',
  summary: 'Retry the failed renditions of a library',
  method: 'POST',
  path: '/library/{libraryId}/videos/incomplete/retry',
  description: 'Encodes the failed renditions of all finished videos of a library again.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  answer: RetryIncompleteModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId } }, { retries }: Deps) {
    return retries.retryAll(libraryId, planRetry);
  },
});
