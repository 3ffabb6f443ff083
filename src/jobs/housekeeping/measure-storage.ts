import { measureStorage as measure } from '../../catalog/quotas/month-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/** Stores the bytes that each library uses, once an hour, for the usage by month. Idempotent. */
export const measureStorage = defineJob<object, Pick<JobDeps, 'db'>>({
  name: 'measure-storage',
  queue: 'housekeeping',
  retryLimit: 3,
  cron: '50 * * * *',
  async run(_, { db }) {
    await measure(db);
  },
});
