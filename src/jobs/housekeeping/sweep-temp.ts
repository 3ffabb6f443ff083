import { LEAST_BYTES_PER_SEC } from '../../lib/watch-rate.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineJob } from '../queue/define-job.ts';

/** Room for a store that answers late, and whose clock is another. */
const PATIENCE_MS = 3_600_000;

/** Removes what writers left whose process died: hourly, since it walks the whole store. */
export const sweepTemp = defineJob<object, { storage: Storage }>({
  name: 'sweep-temp',
  lane: 'housekeeping',
  retryLimit: 0,
  cron: '23 * * * *',
  async run(_, { storage }, signal) {
    // A writer that is alive shows the next step by then: uploads slower than this are ended.
    const stepMs = (storage.stepBytes / LEAST_BYTES_PER_SEC) * 1000;
    await storage.sweepTemp(stepMs + PATIENCE_MS, signal);
  },
});
