import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressSet } from '../../lib/client-address.ts';
import { ClientConnections } from '../../lib/client-connections.ts';
import { listen } from '../../lib/listen.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { readProxyHeader } from './proxy-header.ts';
import { type RtmpSessionDeps, serveRtmp } from './serve-rtmp.ts';

const MAX_CONNECTIONS = 1_000;
/** Maximum number of connections of one client that do not publish yet. */
const MAX_UNKNOWN_PER_CLIENT = 32;
const HANDSHAKE_MS = 10_000;

export type RtmpServer = { port: number; close(): Promise<void> };

type Options = Omit<RtmpSessionDeps, 'accepted' | 'remote'> & {
  host: string;
  port: number;
  /** Proxies in front of the service, whose connections may belong to many publishers. */
  trusted: AddressSet;
  /** Whether connections of trusted proxies begin with a header of the PROXY protocol v2. */
  takesProxyHeaders: boolean;
  /** PEM certificate and key for RTMPS. */
  certificate?: { cert: Buffer; key: Buffer };
};

/** Listens for publishers over RTMP, or over RTMPS with a certificate. `close` closes all connections. */
export async function startRtmp(options: Options): Promise<RtmpServer> {
  const { host, port, trusted, certificate, takesProxyHeaders, ...deps } = options;
  const sockets = new Set<Socket>();
  const unknown = new ClientConnections({ perClient: MAX_UNKNOWN_PER_CLIENT, trusted });
  const serve = (socket: Socket, remote: string) =>
    serveRtmp(socket, { ...deps, remote, accepted: () => unknown.release(socket) });
  const secure = certificate === undefined ? null : createSecureServer(certificate, serve);
  // A connection is counted before its TLS handshake.
  const admit = (socket: Socket, remote: string) => {
    if (!unknown.admit(socket, remote)) socket.destroy();
    else if (secure === null) serve(socket, remote);
    else secure.take(socket, remote);
  };
  const server = createServer((socket) => {
    const { remoteAddress = '' } = socket;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (!takesProxyHeaders || !trusted.has(remoteAddress)) {
      admit(socket, remoteAddress);
      return;
    }
    readProxyHeader(socket)
      .then((client) => admit(socket, client ?? remoteAddress))
      .catch((error: Error) => {
        logEvent('publisher.refused', { protocol: 'rtmp', address: remoteAddress, reason: error.message });
        socket.destroy();
      });
  });
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

/** Creates a server that does TLS handshakes on accepted connections. */
function createSecureServer(
  certificate: { cert: Buffer; key: Buffer },
  serve: (socket: Socket, remote: string) => void,
): { take(socket: Socket, remote: string): void } {
  /** Addresses of publishers by the remote port of their connection, which is unique for an address of a proxy. */
  const remotes = new Map<string, string>();
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const server = createTlsServer({ ...certificate, handshakeTimeout: HANDSHAKE_MS }, (socket) =>
    serve(socket, remotes.get(nameOf(socket)) ?? ''),
  );
  // Closes the socket of a client whose TLS handshake failed.
  server.on('tlsClientError', (_, socket: Socket) => socket.destroy());
  return {
    take(socket, remote) {
      const name = nameOf(socket);
      remotes.set(name, remote);
      socket.once('close', () => remotes.delete(name));
      server.emit('connection', socket);
    },
  };
}
