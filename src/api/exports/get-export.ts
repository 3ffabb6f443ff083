import { Type } from 'typebox';
import type { ExportStore } from '../../catalog/exports/export-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ExportModel, PaginationListOfExportModel } from '../models/export.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { PAGING } from '../read-query.ts';
import { toExportModel } from './export-model.ts';

export const ExportParams = Type.Object({ ...LibraryParams.properties, exportId: guidParam('export') });

type Deps = { exports: ExportStore };

/** Not part of the hosted API. */
export const listExports = defineOperation({
  name: 'listExports',
  summary: 'List exports',
  method: 'GET',
  path: '/library/{libraryId}/exports',
  description:
    'Lists the exports of a library that run in the service, newest first, with their progress. Ended ones are kept ' +
    'for a year.',
  auth: 'account-key',
  permission: 'library.manage',
  params: LibraryParams,
  query: Type.Object(PAGING),
  answer: PaginationListOfExportModel,
  refusals: { 'not-found': 404 },
  async run(
    { params: { libraryId }, query: { page, itemsPerPage } },
    { exports, exportsToFolders }: Deps & { exportsToFolders: boolean },
  ) {
    const { total, items } = await exports.list({ libraryId, page, itemsPerPage });
    const paging = { totalItems: total, currentPage: page, itemsPerPage };
    return { ...paging, foldersAllowed: exportsToFolders, items: items.map(toExportModel) };
  },
});

/** Not part of the hosted API. */
export const getExport = defineOperation({
  name: 'getExport',
  summary: 'Get an export',
  method: 'GET',
  path: '/library/{libraryId}/exports/{exportId}',
  description:
    'Returns the progress of an export, and the first 100 videos that could not be exported with the reason.',
  auth: 'account-key',
  permission: 'library.manage',
  params: ExportParams,
  answer: ExportModel,
  refusals: { 'not-found': 404 },
  async run({ params: key }, { exports }: Deps) {
    return toExportModel(await exports.load(key));
  },
});
