import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { guarded } from '../models/fields.ts';
import { NoParams } from '../read-params.ts';
import { maybe, queryInt32 } from '../read-query.ts';
import { CoreLibraryParams } from './core-library.ts';

type Deps = { libraries: LibraryStore };

const MAX_OVERLAP_SEC = 30 * 24 * 3600;

/** Time in seconds for which the old key also stays valid (not part of the hosted API). */
const overlap = { overlapSec: guarded('protects', queryInt32(0, 0, MAX_OVERLAP_SEC)) };

const COMMON = {
  method: 'POST',
  auth: 'account-key',
  permission: 'library.manage',
  answer: null,
  answerStatus: 204,
  errorShape: 'core',
} as const;

export const resetApiKey = defineOperation({
  ...COMMON,
  name: 'resetApiKey',
  summary: 'Replace the ApiKey',
  path: '/videolibrary/{id}/resetApiKey',
  description: 'Replaces the ApiKey of a library. With `overlapSec`, the old key stays valid for that time.',
  params: CoreLibraryParams,
  query: Type.Object(overlap),
  refusals: { 'not-found': 404 },
  async run({ params: { id }, query: { overlapSec } }, { libraries }: Deps) {
    await libraries.resetKey(id, 'libraryKey', overlapSec);
    return null;
  },
});

/** The same operation at an older path, with the library in the query. */
export const resetApiKeyByQuery = defineOperation({
  ...COMMON,
  name: 'resetApiKeyByQuery',
  // The path does not contain the library, so a role in it is not considered.
  permission: 'account.manage',
  summary: 'Replace the ApiKey of the library in the query',
  path: '/videolibrary/resetApiKey',
  exampleQuery: 'id=1',
  description: 'Replaces the ApiKey of a library. The query contains the id of the library, as older clients expect.',
  params: NoParams,
  query: Type.Object({ id: maybe.int32(0), ...overlap }),
  auditedQuery: { id: 'id' },
  refusals: { 'not-found': 404 },
  async run({ query: { id, overlapSec } }, { libraries }: Deps) {
    await libraries.resetKey(requireId(id), 'libraryKey', overlapSec);
    return null;
  },
});

export const resetReadOnlyApiKey = defineOperation({
  ...COMMON,
  name: 'resetReadOnlyApiKey',
  summary: 'Replace the ReadOnlyApiKey',
  path: '/videolibrary/{id}/resetReadOnlyApiKey',
  description:
    'Replaces the ReadOnlyApiKey of a library, which also signs its webhooks. With `overlapSec`, the old key stays ' +
    'valid for that time, and webhooks are signed with both keys.',
  params: CoreLibraryParams,
  query: Type.Object(overlap),
  refusals: { 'not-found': 404 },
  async run({ params: { id }, query: { overlapSec } }, { libraries }: Deps) {
    await libraries.resetKey(id, 'readOnlyKey', overlapSec);
    return null;
  },
});

export const resetReadOnlyApiKeyByQuery = defineOperation({
  ...COMMON,
  name: 'resetReadOnlyApiKeyByQuery',
  // The path does not contain the library, so a role in it is not considered.
  permission: 'account.manage',
  summary: 'Replace the ReadOnlyApiKey of the library in the query',
  path: '/videolibrary/resetReadOnlyApiKey',
  exampleQuery: 'id=1',
  description:
    'Replaces the ReadOnlyApiKey of a library. The query contains the id of the library, as older clients expect.',
  params: NoParams,
  query: Type.Object({ id: maybe.int32(0), ...overlap }),
  auditedQuery: { id: 'id' },
  refusals: { 'not-found': 404 },
  async run({ query: { id, overlapSec } }, { libraries }: Deps) {
    await libraries.resetKey(requireId(id), 'readOnlyKey', overlapSec);
    return null;
  },
});

function requireId(id: number | undefined): number {
  if (id !== undefined) return id;
  throw new Refused('not-found', 'Expected the id of a library in the query, got none. Send it as id.');
}
