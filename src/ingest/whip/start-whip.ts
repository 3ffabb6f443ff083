import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { requireOneHost } from '../../catalog/shield/host-fault.ts';
import { limitConnections, REQUEST_LIMITS } from '../../lib/client-connections.ts';
import { bindOnce, closeServer, listen } from '../../lib/listen.ts';
import { sendRequestIds, underRequestId } from '../../lib/request-id.ts';
import { createWebServer } from '../../lib/tls/create-web-server.ts';
import type { TlsPaths } from '../../lib/tls/read-tls-pair.ts';
import { openPeers, type PeerConfig } from './peer.ts';
import { type WhipDeps, WhipHandler } from './whip-handler.ts';

const MAX_CONNECTIONS = 500;
/** Maximum number of connections of one client. Media uses UDP, so a publisher needs a connection only briefly. */
const MAX_CONNECTIONS_PER_CLIENT = 32;

/** Thrown if node-datachannel is missing. The service then runs without this listener. */
export class WhipMissing extends Error {
  constructor(cause: unknown) {
    super(`Publishing over WHIP is not available: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = 'WhipMissing';
  }
}

export type WhipServer = { port: number; close(): Promise<void> };

type Options = Omit<WhipDeps, 'open'> & {
  host: string;
  port: number;
  /** PEM certificate and key. Null means no TLS, behind a proxy or for local use. */
  certificate: { cert: Buffer; key: Buffer } | null;
  /** Files of a certificate that is used without `certificate`, and read again when they change. */
  tls?: TlsPaths | null;
} & Pick<PeerConfig, 'udpPort' | 'publicHost'>;

/**
 * Listens for publishers over WHIP. Throws `WhipMissing` if node-datachannel is missing, and an error if a port is in
 * use. `close` ends all sessions.
 */
export async function startWhip(options: Options): Promise<WhipServer> {
  const { host, port, certificate, tls = null, udpPort, publicHost, ...deps } = options;
  const bindAddress = host === '0.0.0.0' || host === '::' ? null : host;
  const peers = await openPeers({ bindAddress, iceServers: deps.iceServers, udpPort, publicHost }).catch(
    (error: unknown) => {
      throw new WhipMissing(error);
    },
  );
  // The package binds the port only with the first publisher, which is too late to report a port in use.
  if (udpPort > 0) await bindOnce(udpPort, host);
  const handler = new WhipHandler({ ...deps, open: peers.open });
  const server: Server =
    certificate === null
      ? createWebServer(tls, REQUEST_LIMITS)
      : createSecureServer({ ...certificate, ...REQUEST_LIMITS, handshakeTimeout: REQUEST_LIMITS.headersTimeout });
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    void underRequestId(request, response, () => handler.handle(request, response)).catch((error: Error) =>
      deps.report(error),
    );
  server.on('request', requireOneHost(handle));
  sendRequestIds(server);
  // Connections of a trusted proxy are not limited. Wrong keys are counted by request.
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
