import { dropOldSessions } from '../../catalog/statistics/sessions/drop-old-sessions-store.ts';
import { mergeDelivered } from '../../catalog/statistics/sums/delivered-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

const USUAL_DAYS = 90;

/**
 * Deletes whole days of expired viewing sessions and the salts of past days, four times a day. Keeps their totals.
 * Idempotent.
 */
export const pruneSessions = defineJob<object, JobDeps>({
  name: 'prune-sessions',
  queue: 'housekeeping',
  retryLimit: 3,
  cron: '40 */6 * * *',
  async run(_, { db, sessionDays = USUAL_DAYS }, signal) {
    await dropOldSessions(db, { days: sessionDays, nowMs: Date.now() }, signal);
    await mergeDelivered(db);
  },
});
