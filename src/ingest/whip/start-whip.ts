import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { requireOneHost } from '../../catalog/shield/host-fault.ts';
import { limitConnections, REQUEST_LIMITS } from '../../lib/client-connections.ts';
import { http } from '../../lib/http.ts';
import { closeServer, listen } from '../../lib/listen.ts';
import { sendRequestIds, underRequestId } from '../../lib/request-id.ts';
import { openPeers } from './peer.ts';
import { type WhipDeps, WhipHandler } from './whip-handler.ts';

const MAX_CONNECTIONS = 500;
/** Maximum number of connections of one client. Media uses other connections, so a publisher only needs one briefly. */
const MAX_CONNECTIONS_PER_CLIENT = 32;

/** Thrown if node-datachannel is missing. The service then runs without this listener. */
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
  /** PEM certificate and key. Null means no TLS, behind a proxy or for local use. */
  certificate: { cert: Buffer; key: Buffer } | null;
};

/** Listens for publishers over WHIP. Throws `WhipMissing` if node-datachannel is missing. `close` ends all sessions. */
export async function startWhip({ host, port, certificate, ...deps }: Options): Promise<WhipServer> {
  const isAnyAddress = host === '0.0.0.0' || host === '::';
  const peers = await openPeers({ bindAddress: isAnyAddress ? null : host, iceServers: deps.iceServers }).catch(
    (error: unknown) => {
      throw new WhipMissing(error);
    },
  );
  const handler = new WhipHandler({ ...deps, open: peers.open });
  const server: Server =
    certificate === null
      ? http.createServer(REQUEST_LIMITS)
      : createSecureServer({ ...certificate, ...REQUEST_LIMITS, handshakeTimeout: REQUEST_LIMITS.headersTimeout });
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    void underRequestId(request, response, () => handler.handle(request, response)).catch((error: Error) =>
      deps.report(error),
    );
  server.on('request', requireOneHost(handle));
  sendRequestIds(server);
  // Attempts of publishers behind a trusted proxy are counted by request.
  limitConnections(server, { perClient: MAX_CONNECTIONS_PER_CLIENT, trusted: deps.trusted });
  server.maxConnections = MAX_CONNECTIONS;
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
