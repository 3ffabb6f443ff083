import type { IncomingHttpHeaders } from 'node:http';
import { type AddressSet, clientAddress } from './client-address.ts';

/** Scheme and host, with a port, of the URL that a client requested. `host` is null if no valid one was sent. */
export type RequestOrigin = { scheme: 'http' | 'https'; host: string | null };

type Message = {
  headers: IncomingHttpHeaders;
  /** A TLS socket also has `encrypted`. */
  socket: { remoteAddress?: string | undefined };
};

/** Matches a name and an optional port, as in a Host header. No other value is written to the output. */
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;

/**
 * Returns the origin of a request. `X-Forwarded-Proto` and `X-Forwarded-Host` count only if the connection is from a
 * trusted proxy. Of a list, the last element counts, because that proxy wrote it. Ignores elements that are not a
 * scheme or host.
 */
export function requestOrigin({ headers, socket }: Message, trusted: AddressSet): RequestOrigin {
  const remote = clientAddress({ remoteAddress: socket.remoteAddress, forwardedFor: undefined }, trusted);
  const forwarded = (name: string) => (trusted.has(remote) ? lastOf(headers[name]) : '');
  const scheme = forwarded('x-forwarded-proto').toLowerCase();
  const own = Object(socket).encrypted === true ? 'https' : 'http';
  return {
    scheme: scheme === 'http' || scheme === 'https' ? scheme : own,
    host: readHost(forwarded('x-forwarded-host')) ?? readHost(headers.host ?? ''),
  };
}

function lastOf(header: string | string[] | undefined): string {
  const elements = [header ?? []].flat().join().split(',');
  return (
    elements
      .map((element) => element.trim())
      .filter((element) => element !== '')
      .at(-1) ?? ''
  );
}

function readHost(text: string): string | null {
  return HOST.test(text) && URL.canParse(`http://${text}`) ? text : null;
}
