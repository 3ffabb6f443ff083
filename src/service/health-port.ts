import { NO_ADDRESSES } from '../lib/client-address.ts';
import { limitConnections, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { http } from '../lib/http.ts';
import { closeServer, listen } from '../lib/listen.ts';
import { describeHealth, type Fleet, type RunningRole } from './health.ts';

/** Connections of one client that watches roles. */
const MAX_PROBES_PER_CLIENT = 32;

export type HealthPort = { port: number; close(): Promise<void> };

/**
 * Answers on a port of its own how a role is: `/healthz` in full, 503 when its database or its store fails, and
 * `/readyz` the status alone. Nothing is asked of either for an answer: they are watched in the background.
 */
export async function openHealthPort(
  { host, port }: { host: string; port: number },
  { fleet, running }: { fleet: Fleet; running: Pick<RunningRole, 'storage' | 'heldDeletions'> },
): Promise<HealthPort> {
  const server = http.createServer(REQUEST_LIMITS, (request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/healthz' && path !== '/readyz') {
      response.writeHead(404).end();
      return;
    }
    const { status, body } = describeHealth(fleet, running.storage(), () => 0, running.heldDeletions());
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(path === '/healthz' ? body : { status: body.status }));
  });
  limitConnections(server, { perClient: MAX_PROBES_PER_CLIENT, trusted: NO_ADDRESSES });
  const realPort = await listen(server, port, host);
  return { port: realPort, close: () => closeServer(server, 0) };
}
