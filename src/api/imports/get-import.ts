import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { ImportStore } from '../../catalog/imports/import-store.ts';
import { type ImportKey, ITEM_STATES } from '../../catalog/imports/library-import.ts';
import { csvLine } from '../csv-line.ts';
import { defineOperation } from '../define-operation.ts';
import { ImportDetailsModel, PaginationListOfImportModel } from '../models/import.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import { PAGING, queryWord } from '../read-query.ts';
import { toImportItemModel, toImportModel } from './import-model.ts';

export const ImportParams = Type.Object({ ...LibraryParams.properties, importId: guidParam('import') });

type Deps = { imports: ImportStore };

/** Not part of the hosted API. */
export const listImports = defineOperation({
  name: 'listImports',
  summary: 'List imports',
  method: 'GET',
  path: '/library/{libraryId}/imports',
  description: 'Lists the imports of a library and their progress, newest first. Ended ones are kept for a year.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: LibraryParams,
  query: Type.Object(PAGING),
  answer: PaginationListOfImportModel,
  async run({ params: { libraryId }, query: { page, itemsPerPage } }, { imports }: Deps) {
    const { total, items } = await imports.list({ libraryId, page, itemsPerPage });
    return { totalItems: total, currentPage: page, itemsPerPage, items: items.map(toImportModel) };
  },
});

/** Not part of the hosted API. */
export const getImport = defineOperation({
  name: 'getImport',
  summary: 'Get an import',
  method: 'GET',
  path: '/library/{libraryId}/imports/{importId}',
  description:
    'Returns the progress of an import, and a page of its items with their outcomes. `state` selects items: waiting, ' +
    'fetching, imported, skipped or failed.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: ImportParams,
  query: Type.Object({ ...PAGING, state: queryWord('', ITEM_STATES) }),
  answer: ImportDetailsModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, importId }, query: { page, itemsPerPage, state } }, { imports }: Deps) {
    const key = { libraryId, importId };
    const report = toImportModel(await imports.load(key));
    const { total, items } = await imports.items(key, { page, itemsPerPage, state });
    const paging = { totalItems: total, currentPage: page, itemsPerPage };
    return { ...report, ...paging, items: items.map(toImportItemModel) };
  },
});

const REPORT_HEAD = [
  ...['kind', 'sourceId', 'guid', 'title', 'state', 'check', 'reason', 'retryable', 'sizeBytes', 'storedSizeBytes'],
  ...['durationSeconds', 'storedDurationSeconds', 'notes'],
] as const;

/** Not part of the hosted API. */
export const getImportReport = defineOperation({
  name: 'getImportReport',
  summary: 'Get the report of an import',
  method: 'GET',
  path: '/library/{libraryId}/imports/{importId}/report',
  description:
    'Returns all items of an import as CSV: outcome, reason, and a comparison of size, length and playability with ' +
    'the source. `getImport` returns the same as JSON, in pages.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: ImportParams,
  answer: 'csv',
  fileName: 'import.csv',
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, importId }, signal }, { imports }: Deps) {
    const key = { libraryId, importId };
    await imports.load(key);
    return Readable.from(writeReport(key, imports), { signal });
  },
});

async function* writeReport(key: ImportKey, imports: ImportStore): AsyncGenerator<string> {
  yield csvLine(REPORT_HEAD);
  for await (const read of imports.allItems(key)) {
    const item = toImportItemModel(read);
    yield csvLine(REPORT_HEAD.map((name) => (name === 'notes' ? item.notes.join(' ') : String(item[name] ?? ''))));
  }
}
