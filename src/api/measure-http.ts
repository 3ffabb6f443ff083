import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { metrics, statusClass } from '../lib/metrics/metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in the metrics. Absent for paths without an operation. */
    operation?: string;
    /** Whether the client decides how long the response lasts, as with event streams. */
    isEndless?: boolean;
  }
}

/** Measures every response of the API by the operation of its route. */
export function measureHttp(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ routeOptions: { config } }, reply) => {
    const { operation = 'other', isEndless = false } = config;
    metrics.httpRequests.inc({ operation, status_class: statusClass(reply.statusCode) });
    if (!isEndless) metrics.httpDuration.observe({ operation }, reply.elapsedTime / 1000);
  });
}

/** Measures a response outside the operations, such as a tus upload. */
export function measureMount(operation: string, response: ServerResponse): void {
  const startedMs = performance.now();
  response.once('close', () => {
    metrics.httpRequests.inc({ operation, status_class: statusClass(response.statusCode) });
    metrics.httpDuration.observe({ operation }, (performance.now() - startedMs) / 1000);
  });
}
