import type { IncomingMessage } from 'node:http';
import type { AddressSet } from './client-address.ts';
import { requestOrigin } from './request-origin.ts';

/**
 * Returns the URL at which a client reached this server, from the headers of its request. It must be sent only to this
 * client. If the host is missing or invalid, uses the local address of the connection.
 */
export function publicUrlOf(request: IncomingMessage, trusted: AddressSet): string {
  const { scheme, host } = requestOrigin(request, trusted);
  if (host !== null) return `${scheme}://${host}`;
  const { localAddress = 'localhost', localPort } = request.socket;
  return `${scheme}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
