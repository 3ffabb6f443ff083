import { Type } from 'typebox';
import type { AuditStore, NamedAuditLine } from '../../catalog/audit/audit-store.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { type AuditLineModel, PaginationListModelOfAuditLineModel } from '../models/audit.ts';
import { auditFieldsOf, auditObjectOf } from '../models/audit-fields-of.ts';
import { toPage } from '../page-or-list.ts';
import { queryInt32, queryText, queryWord } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';

type Deps = { audit: AuditStore; libraries: LibraryStore };

const FILTERS = { key: queryText(), operation: queryText(), result: queryWord('', ['done', 'failed']) };

/** Not part of the hosted API. The entries of a deleted library can still be read. */
export const listAudit = defineOperation({
  name: 'listAudit',
  method: 'GET',
  path: '/videolibrary/{id}/audit',
  description: 'Lists the write requests to a library, newest first, with the names of people, keys and objects.',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  query: Type.Object({ page: queryInt32(1, 1), perPage: queryInt32(100, 1, 1000), ...FILTERS }),
  answer: PaginationListModelOfAuditLineModel,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, query: { page, perPage, key, operation, result } }, { audit, libraries }: Deps) {
    const { total, lines } = await audit.list({
      ...{ libraryId: id, page, perPage },
      keyName: key || null,
      operations: operation === '' ? null : operation.split(','),
      isDone: result === '' ? null : result === 'done',
    });
    if (total === 0 && (await libraries.findLibrary(id)) === null) {
      throw new Refused('not-found', `Library ${id} not found. Check the id.`);
    }
    return toPage(lines.map(toLineModel), { page, offset: (page - 1) * perPage, total });
  },
});

function toLineModel(line: NamedAuditLine): AuditLineModel {
  return {
    ...auditFieldsOf(line),
    Who: line.who.name,
    WhoKind: line.who.kind,
    ...auditObjectOf(line),
  };
}
