import type { Logger } from 'pino';
import type { DashboardFiles } from '../api/dashboard/load-dashboard.ts';
import { keptFolder } from '../lib/packed-code.ts';
import { Refused } from '../lib/refused.ts';

/**
 * Has the dashboard's code made ready while the service starts; one that failed is tried again when a page is opened.
 */
export function openDashboard(log: Pick<Logger, 'error'>): () => Promise<DashboardFiles> {
  let loading: Promise<DashboardFiles> | null = null;
  const load = () => {
    loading ??= import('../api/dashboard/load-dashboard.ts')
      .then(({ loadDashboard }) => loadDashboard())
      .catch((error: unknown) => {
        loading = null;
        log.error({ err: error }, 'The dashboard could not be packed; the next page that is opened tries again.');
        throw error;
      });
    return loading;
  };
  // Logged above; whoever opens a page gets the error.
  load().catch(() => undefined);
  return load;
}

/** Packs the dashboard's code where starts look for it. Refuses (`invalid`) a place that cannot be written. */
export async function buildDashboard(): Promise<{ files: number; folder: string }> {
  const { DASHBOARD, loadDashboard } = await import('../api/dashboard/load-dashboard.ts');
  const folder = await keptFolder(DASHBOARD);
  if (folder === null)
    throw new Refused('invalid', 'Expected a folder of the program that can be written. Build as its owner.');
  const { files } = await loadDashboard();
  return { files: files.size, folder };
}
