import type { Storage } from '../ports/storage.ts';
import { defineJob } from './define-job.ts';

/** A writer that is alive adds to its file far more often: uploads slower than 1 KiB/s are ended. */
const DEAD_AFTER_MS = 3_600_000;

/** Removes what writers left whose process died: hourly, since it walks the whole store. */
export const sweepTemp = defineJob<object, { storage: Storage }>({
  name: 'sweep-temp',
  lane: 'long',
  retryLimit: 0,
  cron: '23 * * * *',
  async run(_, { storage }, signal) {
    await storage.sweepTemp(DEAD_AFTER_MS, signal);
  },
});
