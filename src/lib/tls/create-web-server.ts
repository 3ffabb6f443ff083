import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { http } from '../http.ts';
import { logEvent } from '../log/log-event.ts';
import { readTlsPair, type TlsPair, type TlsPaths } from './read-tls-pair.ts';

/** Oldest version of TLS that is accepted (RFC 8996 deprecates the earlier ones). */
const MIN_VERSION = 'TLSv1.2';
/** Time limit for a handshake, in ms. */
const HANDSHAKE_MS = 10_000;
/** Interval at which the files are compared. Watches of files miss a symlink that is replaced. */
const CHECK_MS = 5_000;
const DAY_MS = 86_400_000;
const EXPIRY_DAYS = 14;

/**
 * Creates a web server, with TLS if `tls` names a certificate. If the files change, connections from then on use the
 * new certificate. A pair that cannot be used is logged, and the old one stays. Throws `Refused` for a wrong pair.
 */
export function createWebServer(tls: TlsPaths | null, options: ServerOptions, listener?: RequestListener): Server {
  if (tls === null) return http.createServer(options, listener);
  const pair = readTlsPair(tls);
  warnOfExpiry(pair);
  const secure = { cert: pair.cert, key: pair.key, minVersion: MIN_VERSION } as const;
  const { createServer } = process.getBuiltinModule('node:https');
  const server = createServer({ ...options, ...secure, handshakeTimeout: HANDSHAKE_MS }, listener);
  // By default, Node reports a failed handshake as a client error, and a handler of client errors would respond with
  // HTTP.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  closeHandshakesToo(server);
  const stop = followFiles(server, tls, pair);
  server.once('close', stop);
  return server;
}

/**
 * Makes `close` also end connections whose handshake has not finished. Node does not list them, so a silent client
 * would delay the close.
 */
function closeHandshakesToo(server: SecureServer): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closeAll = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAll();
    for (const socket of sockets) socket.destroy();
  };
}

function followFiles(server: SecureServer, paths: TlsPaths, first: TlsPair): () => void {
  let current = first;
  let lastProblem = '';
  let warnedAtMs = Date.now();
  const check = () => {
    try {
      const next = readTlsPair(paths);
      lastProblem = '';
      if (next.cert !== current.cert || next.key !== current.key) {
        server.setSecureContext({ cert: next.cert, key: next.key, minVersion: MIN_VERSION });
        current = next;
        warnedAtMs = Date.now();
        logEvent('tls.reloaded', { until: next.expiresAt.toISOString() });
        warnOfExpiry(next);
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // A file may be incomplete while it is written. The next check then finds the whole pair.
      if (reason !== lastProblem) logEvent('tls.not-reloaded', { reason });
      lastProblem = reason;
    }
    if (Date.now() - warnedAtMs < DAY_MS) return;
    warnedAtMs = Date.now();
    warnOfExpiry(current);
  };
  const timer = setInterval(check, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** Logs once a day that a certificate expired or expires within 14 days. */
function warnOfExpiry({ expiresAt }: TlsPair): void {
  const leftMs = expiresAt.getTime() - Date.now();
  const until = expiresAt.toISOString();
  if (leftMs <= 0) logEvent('tls.expired', { until });
  else if (leftMs < EXPIRY_DAYS * DAY_MS) logEvent('tls.expiring', { until });
}
