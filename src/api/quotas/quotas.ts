import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { unknownLibrary } from '../../catalog/libraries/read-library-store.ts';
import { percentOf } from '../../catalog/quotas/quota.ts';
import type { QuotaState, QuotaStates, QuotaStore } from '../../catalog/quotas/quota-store.ts';
import { defineOperation } from '../define-operation.ts';
import { type QuotaStateModel, QuotasModel, UpdateQuotasModel } from '../models/quota.ts';
import { LibraryParams } from '../read-params.ts';

type Deps = { quotas: QuotaStore };

const PATH = '/library/{libraryId}/quotas';

/** Not part of the hosted API, like `updateQuotas`. */
export const getQuotas = defineOperation({
  name: 'getQuotas',
  summary: 'Get the quotas of a library',
  method: 'GET',
  path: PATH,
  description: 'Returns the limits of a library and its current use. Months are calendar months in UTC.',
  auth: 'access-key',
  permission: 'videos.read',
  params: LibraryParams,
  answer: QuotasModel,
  run: async ({ params: { libraryId } }, { quotas }: Deps) => toModel(await quotas.load(libraryId)),
});

export const updateQuotas = defineOperation({
  name: 'updateQuotas',
  summary: 'Change the quotas of a library',
  method: 'PUT',
  path: PATH,
  description:
    'Changes the limits of a library. Absent ones are left unchanged, and `null` removes one. `soft` only warns; ' +
    '`hard` also refuses. A limit may be below the current use. Requires the key of the account.',
  auth: 'account-key',
  permission: 'account.manage',
  params: LibraryParams,
  body: UpdateQuotasModel,
  answer: QuotasModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params: { libraryId }, body }, { quotas, libraries }: Deps & { libraries: LibraryStore }) {
    if ((await libraries.findLibrary(libraryId)) === null) throw unknownLibrary(libraryId);
    return toModel(await quotas.change(libraryId, body));
  },
});

function toModel({
  month,
  storageBytes,
  encodedMinutesPerMonth,
  concurrentLiveStreams,
  concurrentViewers,
  bandwidthBytesPerMonth,
}: QuotaStates): QuotasModel {
  return {
    month,
    storageBytes: toStateModel(storageBytes),
    encodedMinutesPerMonth: toStateModel(encodedMinutesPerMonth),
    concurrentLiveStreams: toStateModel(concurrentLiveStreams),
    concurrentViewers: toStateModel(concurrentViewers),
    bandwidthBytesPerMonth: toStateModel(bandwidthBytesPerMonth),
  };
}

function toStateModel({ quota, used }: QuotaState): QuotaStateModel {
  if (quota === null) return { limit: null, mode: null, used, percent: null };
  return { ...quota, used, percent: percentOf(used, quota.limit) };
}
