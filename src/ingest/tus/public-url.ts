import type { IncomingMessage } from 'node:http';

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * Returns the URL at which a client reached this server, from the request's own headers. It must only be sent to this
 * client. A proxy that terminates TLS sends `X-Forwarded-Proto`. Without a valid `Host`, uses the local address of the
 * connection.
 */
export function publicUrlOf({ headers, socket }: IncomingMessage): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const { host = '' } = headers;
  if (HOST.test(host)) return `${scheme}://${host}`;
  const address = socket.localAddress ?? 'localhost';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`;
}
