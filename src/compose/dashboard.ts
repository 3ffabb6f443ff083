import type { Logger } from 'pino';
import type { DashboardFiles } from '../api/dashboard/load-dashboard.ts';
import { keptFolder } from '../lib/packed-code.ts';
import { Refused } from '../lib/refused.ts';

/** Prepares the dashboard's code while the service starts. After a failure, opening a page tries again. */
export function openDashboard(log: Pick<Logger, 'error'>): () => Promise<DashboardFiles> {
  let loading: Promise<DashboardFiles> | null = null;
  const load = () => {
    loading ??= import('../api/dashboard/load-dashboard.ts')
      .then(({ loadDashboard }) => loadDashboard())
      .catch((error: unknown) => {
        loading = null;
        log.error({ err: error }, 'Could not bundle the dashboard. The next page request tries again.');
        throw error;
      });
    return loading;
  };
  // Logged above. Opening a page returns the error.
  load().catch(() => undefined);
  return load;
}

/**
 * Packs the dashboard's code into the folder that starts look in. Throws `Refused` (`invalid`) if it is not writable.
 */
export async function buildDashboard(): Promise<{ files: number; folder: string }> {
  const { DASHBOARD, loadDashboard } = await import('../api/dashboard/load-dashboard.ts');
  const folder = await keptFolder(DASHBOARD);
  if (folder === null) throw new Refused('invalid', 'Expected a writable program folder. Build as its owner.');
  const { files } = await loadDashboard();
  return { files: files.size, folder };
}
