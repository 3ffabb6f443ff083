import type { ExportStore } from '../../catalog/exports/export-store.ts';
import { sendExport } from '../../jobs/exports/run-export.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { ExportModel } from '../models/export.ts';
import { toExportModel } from './export-model.ts';
import { ExportParams } from './get-export.ts';

type Deps = { exports: ExportStore; queue: Queue };

/** Not part of the hosted API. */
export const cancelExport = defineOperation({
  name: 'cancelExport',
  summary: 'Cancel an export',
  method: 'POST',
  path: '/library/{libraryId}/exports/{exportId}/cancel',
  description: 'Stops an export and its transfers. Exported files are kept. It can be resumed.',
  auth: 'account-key',
  permission: 'library.manage',
  params: ExportParams,
  answer: ExportModel,
  refusals: { 'not-found': 404 },
  async run({ params: key }, { exports }: Deps) {
    await exports.cancel(key);
    return toExportModel(await exports.load(key));
  },
});

/** Not part of the hosted API. */
export const resumeExport = defineOperation({
  name: 'resumeExport',
  summary: 'Resume an export',
  method: 'POST',
  path: '/library/{libraryId}/exports/{exportId}/resume',
  description:
    'Continues an export that was cancelled or failed. One that finished, or in which videos failed, runs again and ' +
    'transfers only what is missing or was changed.',
  auth: 'account-key',
  permission: 'library.manage',
  params: ExportParams,
  answer: ExportModel,
  refusals: { 'not-found': 404, conflict: 409 },
  async run({ params: key }, { exports, queue }: Deps) {
    await exports.resume(key, (tick) => sendExport(queue, tick));
    return toExportModel(await exports.load(key));
  },
});
