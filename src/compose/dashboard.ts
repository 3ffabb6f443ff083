import type { DashboardFiles } from '../api/dashboard/load-dashboard.ts';
import { logEvent } from '../lib/log/log-event.ts';
import { keptFolder } from '../lib/packed-code.ts';
import { Refused } from '../lib/refused.ts';

/** Prepares the dashboard's code while the service starts. If that fails, the next page that is opened tries again. */
export function openDashboard(): () => Promise<DashboardFiles> {
  let loading: Promise<DashboardFiles> | null = null;
  const load = () => {
    loading ??= import('../api/dashboard/load-dashboard.ts')
      .then(({ loadDashboard }) => loadDashboard())
      .catch((error: unknown) => {
        loading = null;
        logEvent('dashboard.unbundled', { err: error });
        throw error;
      });
    return loading;
  };
  // The error was logged above, and is thrown again when a page is opened.
  load().catch(() => undefined);
  return load;
}

/**
 * Bundles the dashboard's code into the folder from which the service loads it. Throws `Refused` (`invalid`) if the
 * folder is not writable.
 */
export async function buildDashboard(): Promise<{ files: number; folder: string }> {
  const { DASHBOARD, loadDashboard } = await import('../api/dashboard/load-dashboard.ts');
  const folder = await keptFolder(DASHBOARD);
  if (folder === null) throw new Refused('invalid', 'Expected a writable program folder. Build as its owner.');
  const { files } = await loadDashboard();
  return { files: files.size, folder };
}
