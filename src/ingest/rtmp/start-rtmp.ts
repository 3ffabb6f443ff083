import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { listen } from '../../lib/listen.ts';
import { type RtmpSessionDeps, serveRtmp } from './rtmp-session.ts';

const MOST_CONNECTIONS = 1_000;
/** Connections of one address that have not published yet. */
const MOST_UNKNOWN_PER_ADDRESS = 32;
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

/** Counts the connections of each address that have not published yet. */
class UnknownConnections {
  readonly #addresses = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  admit(address: string, name: string): boolean {
    const count = this.#counts.get(address) ?? 0;
    if (count >= MOST_UNKNOWN_PER_ADDRESS) return false;
    this.#counts.set(address, count + 1);
    this.#addresses.set(name, address);
    return true;
  }

  /** It publishes, or is over. */
  forget(name: string): void {
    const address = this.#addresses.get(name);
    if (address === undefined) return;
    this.#addresses.delete(name);
    const left = (this.#counts.get(address) ?? 1) - 1;
    if (left === 0) this.#counts.delete(address);
    else this.#counts.set(address, left);
  }
}

/** The same for a socket and for the TLS connection over it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
