import { Type } from 'typebox';
import type { AuditLine } from '../../catalog/audit/audit-line.ts';
import type { AuditStore } from '../../catalog/audit/audit-store.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { type AuditLineModel, PaginationListModelOfAuditLineModel } from '../models/audit.ts';
import { toPage } from '../page-or-list.ts';
import { queryInt32 } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';

type Deps = { audit: AuditStore; libraries: LibraryStore };

/** Not part of the hosted API. The entries of a deleted library can still be read. */
export const listAudit = defineOperation({
  name: 'listAudit',
  method: 'GET',
  path: '/videolibrary/{id}/audit',
  description: 'Lists the write requests to a library, newest first: key, operation, time, client address and result.',
  auth: 'account-key',
  permission: 'library.manage',
  params: CoreLibraryParams,
  query: Type.Object({ page: queryInt32(1, 1), perPage: queryInt32(100, 1, 1000) }),
  answer: PaginationListModelOfAuditLineModel,
  refusals: { 'not-found': 404 },
  errorShape: 'core',
  async run({ params: { id }, query: { page, perPage } }, { audit, libraries }: Deps) {
    const { total, lines } = await audit.list({ libraryId: id, page, perPage });
    if (total === 0 && (await libraries.findLibrary(id)) === null) {
      throw new Refused('not-found', `Library ${id} not found. Check the id.`);
    }
    return toPage(lines.map(toLineModel), { page, offset: (page - 1) * perPage, total });
  },
});

function toLineModel(line: AuditLine): AuditLineModel {
  return {
    Id: line.id,
    Date: wireTime(line.at),
    Key: line.keyName,
    Scope: line.scope,
    Operation: line.operation,
    Targets: { ...line.targets },
    Status: line.status,
    RequestId: line.requestId,
    Ip: line.ip,
    Hash: line.hash.toString('hex'),
  };
}
