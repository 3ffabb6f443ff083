import type { FastifyRequest } from 'fastify';
import type { NotedChange } from '../../catalog/note-change.ts';
import { readGuid } from '../../lib/guid.ts';
import { toAuditChanges } from '../audit-changes.ts';
import { guidOfRequestId } from '../audited-write.ts';
import type { DashboardDeps } from './dashboard-deps.ts';

/** A change that a route of the dashboard made. `who` is the name of a key, or id and e-mail address of a person. */
type Recorded = {
  who: string;
  scope: string;
  operation: string;
  targets?: Record<string, string>;
  status?: number;
  noted?: readonly NotedChange[];
};

/** Records a change in the audit log. */
export async function recordChange(
  request: FastifyRequest,
  { who, scope, operation, targets = {}, status = 200, noted = [] }: Recorded,
  { audit, callerOf }: Pick<DashboardDeps, 'audit' | 'callerOf'>,
): Promise<void> {
  await audit.write({
    ...{ libraryId: null, pullZoneId: null, keyName: who, scope, operation, targets, status },
    requestId: readGuid(request.id) ?? guidOfRequestId(request.id),
    ip: callerOf(request.raw),
    changes: toAuditChanges(noted),
  });
}
