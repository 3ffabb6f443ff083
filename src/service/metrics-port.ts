import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireOneHost } from '../catalog/shield/host-fault.ts';
import { isFromHere, readTrustedProxies } from '../lib/client-address.ts';
import { limitConnections, REQUEST_LIMITS } from '../lib/client-connections.ts';
import { http } from '../lib/http.ts';
import { closeServer, listen } from '../lib/listen.ts';
import { METRICS_TYPE } from '../lib/metrics/metrics.ts';

const MAX_SCRAPES_PER_CLIENT = 32;

export type MetricsPort = { port: number; close(): Promise<void> };

/** Address to listen on, and the clients that may read: this machine, trusted proxies and `metricsAllow`. */
export type MetricsAccess = { host: string; trustedProxies: readonly string[]; metricsAllow: readonly string[] };

/** Returns a handler of `GET /metrics`. Clients that may not read get 403 with the setting that permits them. */
export function createMetricsHandler(
  access: MetricsAccess,
  render: () => Promise<string>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const allowed = readTrustedProxies([...access.trustedProxies, ...access.metricsAllow]);
  return async (request, response) => {
    if (!isFromHere(request, allowed)) {
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('Metrics are for this machine only. Add the address of Prometheus to MILLRACE_METRICS_ALLOW.\n');
      return;
    }
    const page = await render();
    response.writeHead(200, { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }).end(page);
  };
}

/** Serves `GET /metrics` on a separate port, for all roles of one process tree. */
export async function openMetricsPort(
  access: MetricsAccess & { port: number },
  render: () => Promise<string>,
): Promise<MetricsPort> {
  const handle = createMetricsHandler(access, render);
  const server = http.createServer(
    REQUEST_LIMITS,
    requireOneHost((request, response) => {
      if (request.url?.split('?')[0] === '/metrics') void handle(request, response);
      else response.writeHead(404).end();
    }),
  );
  limitConnections(server, {
    perClient: MAX_SCRAPES_PER_CLIENT,
    trusted: readTrustedProxies(access.trustedProxies),
  });
  const port = await listen(server, access.port, access.host);
  return { port, close: () => closeServer(server, 0) };
}
