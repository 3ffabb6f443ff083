import { inTransaction } from '../../catalog/in-transaction.ts';
import { hasQuotas, measureLibraries, measureQuotas } from '../../catalog/quotas/measure-quotas-store.ts';
import { sumStoredBytes } from '../../catalog/quotas/storage-quota-store.ts';
import { shuffled } from '../../lib/shuffled.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { pastFailures } from '../store/past-failures.ts';

/** Times of the other measurements within a minute, in seconds after the first one. */
const LATER_SEC = [15, 30, 45];

/** `isLater` is only set by the job itself. */
export type QuotaMeasurement = { isLater?: boolean };

/**
 * Measures the use of all libraries that have a quota, four times a minute: stores it for the edges, announces reached
 * thresholds, and holds or releases encodes. Once a minute, it also sums the changes of the stored bytes of all
 * libraries. Idempotent.
 */
export const measureAllQuotas = defineJob<QuotaMeasurement, Pick<JobDeps, 'db' | 'queue'>>({
  name: 'measure-quotas',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '* * * * *',
  async run({ isLater }, { db, queue }, signal) {
    if (isLater !== true) await sumStoredBytes(db);
    if (!(await hasQuotas(db))) return;
    if (isLater !== true) {
      await inTransaction(db, async (tx) => {
        for (const delaySec of LATER_SEC) {
          await queue.send(measureAllQuotas, { isLater: true }, { delaySec, onlyOneNamed: `after ${delaySec}` })(tx);
        }
      });
    }
    await pastFailures(shuffled(await measureLibraries(db)), (libraryId) => measureQuotas(db, libraryId), signal);
  },
});
