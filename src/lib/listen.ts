import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Starts listening and returns the real port; 0 selects any free one. Rejects if the port is taken. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // A server that listens on a port has such an address.
  return address.port;
}

/** Stops listening, lets running responses end for `graceMs`, then cuts the rest. */
export async function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
