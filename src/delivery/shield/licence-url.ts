import type { IncomingMessage } from 'node:http';
import { parsePullZoneName } from '../../catalog/pull-zones/pull-zone-name.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import { readPlayRequest, tokenQuery } from './play-request.ts';

/** Matches a hostname and an optional port, as in a Host header. Other values are never written to the output. */
const HOST = /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](:\d{1,5})?$/;

/** Configured URL of the edge, and the trusted proxies, whose headers determine the scheme of a request. */
type EdgeOrigin = { edgeUrl: string | null; trusted: AddressSet };

/**
 * Returns the absolute licence URL of the requested video, including the viewer's token. The URL is absolute, because
 * some players resolve URLs in a manifest against the page. With a pull zone's own hostname, the path does not contain
 * the zone, so the URL must keep that host.
 */
export function licenceUrlOf(request: IncomingMessage, { edgeUrl, trusted }: EdgeOrigin): string {
  const { url = '/', headers } = request;
  const [path = '/'] = url.split('?', 1);
  const host = headers.host ?? '';
  const namesZone = parsePullZoneName(path.split('/')[1] ?? '') !== null;
  const scheme = edgeUrl?.startsWith('https:') === true ? 'https' : requestOrigin(request, trusted).scheme;
  const base = (namesZone ? edgeUrl : null) ?? (HOST.test(host) ? `${scheme}://${host}` : '');
  const query = tokenQuery(readPlayRequest(request));
  return `${base}${path.slice(0, path.lastIndexOf('/') + 1)}license${query === '' ? '' : `?${query}`}`;
}
