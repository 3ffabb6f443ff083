import { MIN_BYTES_PER_SEC } from '../../lib/watch-rate.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { whenOurs } from '../store/when-ours.ts';

/** Margin for a store that responds late, and whose clock differs. */
const PATIENCE_MS = 3_600_000;

type Deps = Pick<JobDeps, 'storage' | 'store'>;

/** Removes leftovers of writers whose process died. Hourly, because it walks the whole store. */
export const sweepTemp = defineJob<object, Deps>({
  name: 'sweep-temp',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '23 * * * *',
  run: (_, deps, signal) => whenOurs(removeUnfinished)(deps, signal),
});

async function removeUnfinished({ storage }: Deps, signal: AbortSignal): Promise<void> {
  // A live writer makes its next step by then: slower uploads are ended.
  const stepMs = (storage.stepBytes / MIN_BYTES_PER_SEC) * 1000;
  await storage.sweepTemp(stepMs + PATIENCE_MS, signal);
}
