import { createSocket } from 'node:dgram';
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

/** Throws an error with the code EADDRINUSE if a UDP port is in use. */
export async function bindOnce(port: number, host: string): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    socket.bind(port, host);
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}
