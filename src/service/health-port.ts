import type { ServerResponse } from 'node:http';
import { requireOneHost } from '../catalog/shield/host-fault.ts';
import type { Role } from '../config/roles.ts';
import { isFromHere, readTrustedProxies } from '../lib/client-address.ts';
import { limitConnections, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { http } from '../lib/http.ts';
import { closeServer, listen } from '../lib/listen.ts';
import { collectMetrics, renderMetrics } from '../lib/metrics/metrics.ts';
import { sendRequestIds } from '../lib/request-id.ts';
import { describeHealth, type Fleet, type RunningRole } from './health.ts';
import { createMetricsHandler, type MetricsAccess } from './metrics-port.ts';

/** Maximum number of connections of one monitoring client. */
const MAX_PROBES_PER_CLIENT = 32;

export type HealthPort = { port: number; close(): Promise<void> };

/**
 * Serves the health of a role on a separate port. `/livez`: the process responds. `/readyz`: a balancer may send it
 * requests. `/healthz`: nothing is wrong, else 503 with the reasons, for this machine and trusted proxies only. A
 * request queries neither database nor store, because both are checked in the background. It also serves `/metrics`.
 */
export async function openHealthPort(
  { port, ...access }: MetricsAccess & { port: number },
  { role, fleet, running }: { role: Role; fleet: Fleet; running: Pick<RunningRole, 'storage' | 'notes' | 'duty'> },
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
      if (path === '/livez' || path === '/readyz') {
        const { off } = running.duty;
        const isGood = path === '/livez' || (off === null && isReady(role, fleet));
        if (isGood) sendJson(response, 200, { status: 'ok' });
        else sendJson(response, 503, off === null ? { status: 'failing' } : { status: off.state, reason: off.reason });
        return;
      }
      if (path !== '/healthz') {
        response.writeHead(404).end();
        return;
      }
      const { status, body } = describeHealth(fleet, running.storage(), () => 0, running.notes());
      sendJson(response, status, isFromHere(request, trusted) ? body : { status: body.status });
    }),
  );
  sendRequestIds(server);
  limitConnections(server, { perClient: MAX_PROBES_PER_CLIENT, trusted });
  const realPort = await listen(server, port, access.host);
  return { port: realPort, close: () => closeServer(server, 0) };
}

/**
 * Returns whether a role can do its work for clients. An edge serves the videos it knows without a database or a store.
 * The other roles need the database for every request.
 */
function isReady(role: Role, { roles }: Fleet): boolean {
  return role === 'edge' || roles[role]?.state === 'ok';
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
