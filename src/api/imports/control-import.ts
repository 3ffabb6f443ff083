import type { ImportStore } from '../../catalog/imports/import-store.ts';
import { sendImport } from '../../jobs/imports/run-import.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { ImportModel } from '../models/import.ts';
import { ImportParams } from './get-import.ts';
import { toImportModel } from './import-model.ts';

type Deps = { imports: ImportStore; queue: Queue };

/** Not part of the hosted API. */
export const cancelImport = defineOperation({
  name: 'cancelImport',
  summary: 'Cancel an import',
  method: 'POST',
  path: '/library/{libraryId}/imports/{importId}/cancel',
  description: 'Stops an import. Transfers in progress are completed. Imported videos are kept. It can be resumed.',
  auth: 'account-key',
  permission: 'account.manage',
  params: ImportParams,
  answer: ImportModel,
  refusals: { 'not-found': 404 },
  async run({ params: key }, { imports, queue }: Deps) {
    await imports.cancel(key, (tick) => sendImport(queue, tick));
    return toImportModel(await imports.load(key));
  },
});

/** Not part of the hosted API. */
export const resumeImport = defineOperation({
  name: 'resumeImport',
  summary: 'Resume an import',
  method: 'POST',
  path: '/library/{libraryId}/imports/{importId}/resume',
  description:
    'Continues an import that was cancelled or failed, starts one that was only planned (not one of uploads), and ' +
    'tries retryable items again.',
  auth: 'account-key',
  permission: 'account.manage',
  params: ImportParams,
  answer: ImportModel,
  refusals: { 'not-found': 404, conflict: 409 },
  async run({ params: key }, { imports, queue }: Deps) {
    await imports.resume(key, (tick) => sendImport(queue, tick));
    return toImportModel(await imports.load(key));
  },
});
