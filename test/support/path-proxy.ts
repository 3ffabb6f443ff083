import { once } from 'node:events';
import http from 'node:http';
import { freePort } from './service.ts';

/** A proxy that serves a service below a path, like a common nginx setup. The caller closes it. */
export type PathProxy = { url: string; origin: string; forwardTo(apiUrl: string): void; close(): Promise<void> };

/** Listens before the service starts, because the service is configured with the proxy's URL. */
export async function startPathProxy(prefix: string): Promise<PathProxy> {
  let target: URL | null = null;
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    if (target === null || !path.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const { hostname, port } = target;
    const options = {
      hostname,
      port,
      method: request.method,
      path: path.slice(prefix.length),
      headers: request.headers,
    };
    const onward = http.request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    // When the service stops or the browser disconnects, both sides are closed.
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: origin + prefix,
    origin,
    forwardTo(apiUrl) {
      target = new URL(apiUrl);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
