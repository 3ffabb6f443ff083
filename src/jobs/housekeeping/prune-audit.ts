import { pruneAudit } from '../../catalog/audit/audit-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/** Deletes audit log entries older than 90 days, once a day. Idempotent. */
export const pruneAuditLog = defineJob<object, JobDeps>({
  name: 'prune-audit',
  queue: 'housekeeping',
  retryLimit: 3,
  cron: '20 3 * * *',
  async run(_, { db }, signal) {
    await pruneAudit(db, signal);
  },
});
