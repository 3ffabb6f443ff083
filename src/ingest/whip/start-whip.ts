import type { Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { http } from '../../lib/http.ts';
import { closeServer, listen } from '../../lib/listen.ts';
import { nameOf, UnknownConnections } from '../unknown-connections.ts';
import { openPeers } from './peer.ts';
import { type WhipDeps, WhipHandler } from './whip-handler.ts';

/** A request has so long to come, and a connection without one. */
const REQUEST_MS = 10_000;
const MOST_CONNECTIONS = 500;

/** node-datachannel is not there: the listener is left out, the others go on. */
export class WhipMissing extends Error {
  constructor(cause: unknown) {
    super(`No publishers by WHIP: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = 'WhipMissing';
  }
}

export type WhipServer = { port: number; close(): Promise<void> };

type Options = Omit<WhipDeps, 'open'> & {
  host: string;
  port: number;
  /** PEM; null: without TLS, for a proxy before it or for this machine alone. */
  certificate: { cert: Buffer; key: Buffer } | null;
};

/** Listens for publishers by WHIP. Throws WhipMissing without node-datachannel. `close` ends all sessions. */
export async function startWhip({ host, port, certificate, ...deps }: Options): Promise<WhipServer> {
  const isAnyAddress = host === '0.0.0.0' || host === '::';
  const peers = await openPeers({ bindAddress: isAnyAddress ? null : host, iceServers: deps.iceServers }).catch(
    (error: unknown) => {
      throw new WhipMissing(error);
    },
  );
  const handler = new WhipHandler({ ...deps, open: peers.open });
  const server: Server =
    certificate === null ? http.createServer() : createSecureServer({ ...certificate, handshakeTimeout: REQUEST_MS });
  server.on('request', (request, response) => {
    handler.handle(request, response).catch((error: Error) => deps.report(error));
  });
  const unknown = new UnknownConnections();
  server.on('connection', (socket: Socket) => {
    // A proxy's connections are those of many publishers: their attempts are counted by request.
    if (deps.trusted.has(socket.remoteAddress ?? '')) return;
    const name = nameOf(socket);
    if (!unknown.admit(socket.remoteAddress ?? '', name)) {
      socket.destroy();
      return;
    }
    socket.once('close', () => unknown.forget(name));
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.maxConnections = MOST_CONNECTIONS;
  const bound = await listen(server, port, host);
  return {
    port: bound,
    async close() {
      handler.close();
      await closeServer(server, 500);
      peers.close();
    },
  };
}
