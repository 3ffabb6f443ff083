import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { AddressSet } from '../../lib/client-address.ts';
import { ClientConnections } from '../../lib/client-connections.ts';
import { listen } from '../../lib/listen.ts';
import { type RtmpSessionDeps, serveRtmp } from './serve-rtmp.ts';

const MAX_CONNECTIONS = 1_000;
/** Maximum number of connections of one client that do not publish yet. */
const MAX_UNKNOWN_PER_CLIENT = 32;
const HANDSHAKE_MS = 10_000;

export type RtmpServer = { port: number; close(): Promise<void> };

type Options = Omit<RtmpSessionDeps, 'accepted'> & {
  host: string;
  port: number;
  /** Proxies in front of the service, whose connections may belong to many publishers. */
  trusted: AddressSet;
  /** PEM certificate and key for RTMPS. */
  certificate?: { cert: Buffer; key: Buffer };
};

/** Listens for publishers over RTMP, or over RTMPS with a certificate. `close` closes all connections. */
export async function startRtmp({ host, port, trusted, certificate, ...deps }: Options): Promise<RtmpServer> {
  const sockets = new Set<Socket>();
  const unknown = new ClientConnections({ perClient: MAX_UNKNOWN_PER_CLIENT, trusted });
  const serve = (socket: Socket) => serveRtmp(socket, { ...deps, accepted: () => unknown.release(socket) });
  // A connection is counted before its TLS handshake.
  const admit = (socket: Socket) => {
    if (!unknown.admit(socket)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (certificate === undefined) serve(socket);
  };
  const server: Server =
    certificate === undefined
      ? createServer()
      : createSecureServer({ ...certificate, handshakeTimeout: HANDSHAKE_MS }, serve);
  server.on('connection', admit);
  // Closes the socket of a client whose TLS handshake failed.
  server.on('tlsClientError', (_, socket: Socket) => socket.destroy());
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listen(server, port, host);
  return {
    port: bound,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
