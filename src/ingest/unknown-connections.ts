import type { Socket } from 'node:net';
import { clientKey } from '../lib/client-key.ts';

/** Connections of one client that have not published yet. */
const MOST_UNKNOWN_PER_CLIENT = 32;

/** Counts the connections of each client (an IPv6 network of /64 is one) that have not published yet. */
export class UnknownConnections {
  readonly #clients = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  admit(address: string, name: string): boolean {
    const client = clientKey(address);
    const count = this.#counts.get(client) ?? 0;
    if (count >= MOST_UNKNOWN_PER_CLIENT) return false;
    this.#counts.set(client, count + 1);
    this.#clients.set(name, client);
    return true;
  }

  /** It publishes, or is over. */
  forget(name: string): void {
    const client = this.#clients.get(name);
    if (client === undefined) return;
    this.#clients.delete(name);
    const left = (this.#counts.get(client) ?? 1) - 1;
    if (left === 0) this.#counts.delete(client);
    else this.#counts.set(client, left);
  }
}

/** The same for a socket and for the TLS connection over it. */
export function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
