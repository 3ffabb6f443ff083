import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Starts listening and returns the actual port. Port 0 selects a free one. Rejects if the port is in use. */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // A server that listens on a TCP port has an `AddressInfo`.
  return address.port;
}

/** Stops listening, gives running responses `graceMs` to finish, then closes the remaining connections. */
export async function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
