import { requireOneHost } from '../catalog/shield/host-fault.ts';
import { isFromHere, readTrustedProxies } from '../lib/client-address.ts';
import { limitConnections, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { http } from '../lib/http.ts';
import { closeServer, listen } from '../lib/listen.ts';
import { collectMetrics, renderMetrics } from '../lib/metrics/metrics.ts';
import { describeHealth, type Fleet, type RunningRole } from './health.ts';
import { createMetricsHandler, type MetricsAccess } from './metrics-port.ts';

/** Maximum connections of one monitoring client. */
const MAX_PROBES_PER_CLIENT = 32;

export type HealthPort = { port: number; close(): Promise<void> };

/**
 * Serves the health of a role on a separate port: `/healthz` with details for this machine and trusted proxies, and
 * only the status for others, and `/readyz`. Responds with 503 if the role's database or store fails. Requests query
 * neither, because both are checked in the background.
 */
export async function openHealthPort(
  { port, ...access }: MetricsAccess & { port: number },
  { fleet, running }: { fleet: Fleet; running: Pick<RunningRole, 'storage' | 'heldDeletions'> },
): Promise<HealthPort> {
  const trusted = readTrustedProxies(access.trustedProxies);
  const sendMetrics = createMetricsHandler(access, async () => renderMetrics([await collectMetrics()]));
  const server = http.createServer(
    REQUEST_LIMITS,
    requireOneHost((request, response) => {
      const path = request.url?.split('?')[0];
      if (path === '/metrics') {
        void sendMetrics(request, response);
        return;
      }
      if (path !== '/healthz' && path !== '/readyz') {
        response.writeHead(404).end();
        return;
      }
      const { status, body } = describeHealth(fleet, running.storage(), () => 0, running.heldDeletions());
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(
        JSON.stringify(path === '/healthz' && isFromHere(request, trusted) ? body : { status: body.status }),
      );
    }),
  );
  limitConnections(server, { perClient: MAX_PROBES_PER_CLIENT, trusted });
  const realPort = await listen(server, port, access.host);
  return { port: realPort, close: () => closeServer(server, 0) };
}
