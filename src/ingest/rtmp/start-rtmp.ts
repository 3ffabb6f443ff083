import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { listen } from '../../lib/listen.ts';
import { nameOf, UnknownConnections } from '../unknown-connections.ts';
import { type RtmpSessionDeps, serveRtmp } from './rtmp-session.ts';

const MOST_CONNECTIONS = 1_000;
const HANDSHAKE_MS = 10_000;

export type RtmpServer = { port: number; close(): Promise<void> };

type Options = Omit<RtmpSessionDeps, 'accepted'> & {
  host: string;
  port: number;
  /** PEM: publishers come by RTMPS. */
  certificate?: { cert: Buffer; key: Buffer };
};

/** Listens for publishers by RTMP, or by RTMPS with a certificate. `close` ends all connections. */
export async function startRtmp({ host, port, certificate, ...deps }: Options): Promise<RtmpServer> {
  const sockets = new Set<Socket>();
  const unknown = new UnknownConnections();
  const serve = (socket: Socket) => serveRtmp(socket, { ...deps, accepted: () => unknown.forget(nameOf(socket)) });
  // A connection counts before its TLS handshake.
  const admit = (socket: Socket) => {
    const name = nameOf(socket);
    if (!unknown.admit(socket.remoteAddress ?? '', name)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      unknown.forget(name);
    });
    if (certificate === undefined) serve(socket);
  };
  const server: Server =
    certificate === undefined
      ? createServer()
      : createSecureServer({ ...certificate, handshakeTimeout: HANDSHAKE_MS }, serve);
  server.on('connection', admit);
  // Whoever fails at TLS is no publisher; its socket closes.
  server.on('tlsClientError', (_, socket: Socket) => socket.destroy());
  server.maxConnections = MOST_CONNECTIONS;
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
