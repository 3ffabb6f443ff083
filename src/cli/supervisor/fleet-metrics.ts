import type { Role } from '../../config/roles.ts';
import { collectMetrics, type MetricFamilies, metrics, renderMetrics } from '../../lib/metrics/metrics.ts';
import { measureProcess } from '../../service/measure-process.ts';
import { type MetricsAccess, type MetricsPort, openMetricsPort } from '../../service/metrics-port.ts';

/**
 * Maximum time in ms for which the page waits for the metrics of a role. It is shorter than the default timeout of
 * Prometheus, 10 s.
 */
const ROLE_LIMIT_MS = 3_000;

type Collected = { collectMetrics(limitMs: number): Promise<MetricFamilies | null> };

/** Serves one page with the metrics of the supervisor and of all its roles. */
export async function openFleetMetrics(
  access: MetricsAccess & { port: number },
  roles: ReadonlyMap<Role, Collected>,
): Promise<MetricsPort> {
  measureProcess('supervisor');
  return await openMetricsPort(access, async () => {
    const collected = await Promise.all(
      [...roles].map(async ([role, process]) => {
        const families = await process.collectMetrics(ROLE_LIMIT_MS);
        // A role that responds sets this metric itself.
        if (families === null) metrics.roleUp.set({ role }, 0);
        else metrics.roleUp.remove({ role });
        return families ?? [];
      }),
    );
    return await renderMetrics([await collectMetrics(), ...collected]);
  });
}
