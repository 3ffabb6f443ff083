import type { Server, Socket } from 'node:net';
import type { AddressSet } from './client-address.ts';
import { clientKey } from './client-key.ts';

/**
 * Time limits for `http.createServer` of a server with small requests. Node checks connections once per
 * `connectionsCheckingInterval`, 30 s by default, so limits are only that precise.
 */
export const REQUEST_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 250,
} as const;

/**
 * Maximum number of connections of one client to a public server. It is high because a network behind one address has
 * many users.
 */
export const MAX_CONNECTIONS_PER_CLIENT = 2_500;

/** Counts the open connections of each client. An IPv6 /64 network is one client. Trusted proxies are not counted. */
export class ClientConnections {
  readonly #limits: ConnectionLimits;
  readonly #clients = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Counts a connection until it closes or is released. Returns false, without counting it, if its client has too many.
   * `address`: that of the client, if a proxy sent it.
   */
  admit(socket: Socket, address = socket.remoteAddress ?? ''): boolean {
    // A connection of a trusted proxy carries many clients.
    if (this.#limits.trusted.has(address)) return true;
    const client = clientKey(address);
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#limits.perClient) return false;
    const name = nameOf(socket);
    this.#counts.set(client, count + 1);
    this.#clients.set(name, client);
    socket.once('close', () => this.#forget(name));
    return true;
  }

  /** Stops counting a connection. `socket` is the connection itself or the TLS socket over it. */
  release(socket: Socket): void {
    this.#forget(nameOf(socket));
  }

  #forget(name: string): void {
    const client = this.#clients.get(name);
    if (client === undefined) return;
    this.#clients.delete(name);
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left === 0) this.#counts.delete(client);
    else this.#counts.set(client, left);
  }
}

export type ConnectionLimits = { perClient: number; trusted: AddressSet };

/** Closes connections above the limit of their client. */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  onRefused: (socket: Socket) => void = () => undefined,
): void {
  const connections = new ClientConnections(limits);
  server.on('connection', (socket: Socket) => {
    if (connections.admit(socket)) return;
    onRefused(socket);
    socket.destroy();
  });
}

/** Returns a name that is the same for a socket and the TLS connection over it. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
