import type { FastifyRequest } from 'fastify';
import { readGuid } from '../../lib/guid.ts';
import { guidOfRequestId } from '../audited-write.ts';
import type { DashboardDeps } from './dashboard-deps.ts';

/** A change that a route of the dashboard made. `who` is the name of a key, or id and e-mail address of a person. */
type Recorded = { who: string; scope: string; operation: string; targets?: Record<string, string>; status?: number };

/** Records a change in the audit log. */
export async function recordChange(
  request: FastifyRequest,
  { who, scope, operation, targets = {}, status = 200 }: Recorded,
  { audit, callerOf }: Pick<DashboardDeps, 'audit' | 'callerOf'>,
): Promise<void> {
  await audit.write({
    ...{ libraryId: null, pullZoneId: null, keyName: who, scope, operation, targets, status },
    requestId: readGuid(request.id) ?? guidOfRequestId(request.id),
    ip: callerOf(request.raw),
  });
}
