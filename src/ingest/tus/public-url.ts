import type { IncomingMessage } from 'node:http';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * Where a client reached this server, by what it says itself: no other client gets it. A proxy that ends TLS
 * says so in `X-Forwarded-Proto`. Without a usable `Host` it is the address of the connection.
 */
export function publicUrlOf({ headers, socket }: IncomingMessage): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const { host = '' } = headers;
  if (HOST.test(host)) return `${scheme}://${host}`;
  const address = socket.localAddress ?? 'localhost';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`;
}
