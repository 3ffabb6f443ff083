import { MIN_BYTES_PER_SEC } from '../../lib/watch-rate.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { whenOurs } from '../store/when-ours.ts';

/** Margin for slow responses and clock differences of the store, in ms. */
const PATIENCE_MS = 3_600_000;

type Deps = Pick<JobDeps, 'storage' | 'store'>;

/** Removes temporary files of crashed writers. Runs hourly, because it scans the whole store. */
export const sweepTemp = defineJob<object, Deps>({
  name: 'sweep-temp',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '23 * * * *',
  run: (_, deps, signal) => whenOurs(removeUnfinished)(deps, signal),
});

async function removeUnfinished({ storage }: Deps, signal: AbortSignal): Promise<void> {
  // Maximum time in which a running writer writes its next step. Slower uploads are aborted.
  const stepMs = (storage.stepBytes / MIN_BYTES_PER_SEC) * 1000;
  await storage.sweepTemp(stepMs + PATIENCE_MS, signal);
}
