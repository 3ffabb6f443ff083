import { createHash } from 'node:crypto';
import type { AuditChange, AuditedWrite } from '../catalog/audit/audit-line.ts';
import { roleIn } from '../catalog/people/permissions.ts';
import type { Caller } from '../catalog/people/person.ts';
import { cleanText } from '../lib/clean-text.ts';
import { type Guid, guidOfBytes, parseGuid } from '../lib/guid.ts';
import type { Contract } from './define-operation.ts';
import { readId } from './read-params.ts';

const MAX_TARGET_CHARS = 200;

/** Data of a completed request. `answer` is the response, or null if the operation failed. */
export type AuditedRequest = {
  params: Readonly<Record<string, unknown>>;
  queryText: string;
  answer: unknown;
  status: number;
  requestId: string;
  ip: string;
  changes: AuditChange[] | null;
};

type Rules = Pick<Contract<never, never, never, never>, 'name' | 'method' | 'path' | 'isRead' | 'auditedQuery'>;

/** Writes the audit line of an action. Returns null for reads and for requests without a valid key. */
export function toAuditedWrite(rules: Rules, grant: Caller | null, action: AuditedRequest): AuditedWrite | null {
  if (grant === null || rules.method === 'GET' || rules.isRead === true) return null;
  const ownId = parseGuid(action.requestId);
  const targets: Record<string, string> = {
    ...targetsOf(action, rules.auditedQuery ?? {}),
    ...(ownId === null && { requestId: action.requestId }),
  };
  const [, place] = rules.path.split('/');
  const id = readId(targets.id ?? '');
  const libraryId = place === 'videolibrary' ? id : readId(targets.libraryId ?? '');
  return {
    libraryId,
    pullZoneId: place === 'pullzone' ? id : null,
    keyName: grant.keyName,
    scope: grant.person === undefined ? grant.scope : (roleIn(grant.person.roles, libraryId) ?? grant.scope),
    operation: rules.name,
    targets,
    status: action.status,
    requestId: ownId ?? guidOfRequestId(action.requestId),
    ip: action.ip,
    changes: action.changes,
  };
}

/**
 * Derives a GUID from a request id that the caller chose. The log stores GUIDs, and keeps the caller's id among the
 * targets.
 */
export function guidOfRequestId(requestId: string): Guid {
  return guidOfBytes(createHash('sha256').update(requestId).digest());
}

/** Returns the ids in the path, or else those in the query, and the id of a created resource from the response. */
function targetsOf(
  { params, queryText, answer }: AuditedRequest,
  audited: Readonly<Record<string, string>>,
): Record<string, string> {
  const made: { guid?: unknown; Id?: unknown; id?: unknown } = Object(answer);
  const query = new URLSearchParams(queryText);
  const sent = Object.entries(audited).flatMap(([parameter, target]) => {
    const value = query.get(parameter);
    return value === null ? [] : [[target, value] as const];
  });
  const found: Record<string, unknown> = {
    ...Object.fromEntries(sent),
    ...(made.Id !== undefined && { [params.id === undefined ? 'id' : 'madeId']: made.Id }),
    ...(made.guid !== undefined && { guid: made.guid }),
    ...params,
  };
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [name, cleanText(String(value).slice(0, MAX_TARGET_CHARS))]),
  );
}
