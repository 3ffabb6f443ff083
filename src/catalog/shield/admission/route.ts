import { remember } from '../../../lib/remember.ts';
import { type PullZoneName, parsePullZoneName } from '../../pull-zones/pull-zone-name.ts';
import { readAddress, type SignedAddress } from '../../pull-zones/url-token.ts';
import { type EdgeTarget, parseEdgePath } from './edge-path.ts';
import type { HostRules } from './host-rules.ts';
import { isKnownQuery } from './known-query.ts';

/** Names in a request's first line and Host header, before any look-up. */
export type Route = {
  /** Zone named by the host: a subdomain of ours, or a host name that may be registered. */
  host: { by: 'name'; name: PullZoneName } | { by: 'host'; hostname: string } | null;
  /** The zone in the path. */
  pathZone: PullZoneName | null;
  /** As sent, with the zone's prefix and without a path token. */
  address: SignedAddress;
  target: EdgeTarget | null;
  /** True if the query contains only parameters that players and signers send. */
  isQueryKnown: boolean;
};

const MAX_ROUTES = 8_192;
const MAX_CHARS = 1_000;

/** Parses routes and caches them: players request the same few URLs. */
export class Routes {
  readonly #ownHosts: HostRules;
  readonly #routes = new Map<string, Route>();

  constructor(ownHosts: HostRules) {
    this.#ownHosts = ownHosts;
  }

  read(url: string, host: string): Route {
    const key = `${host} ${url}`;
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    const route = readRoute(url, host, this.#ownHosts);
    if (key.length <= MAX_CHARS) remember(this.#routes, [key, route], MAX_ROUTES);
    return route;
  }
}

/** An absolute-form target contains its host (RFC 9112 section 3.2.2). */
export function readRoute(url: string, host: string, ownHosts: HostRules): Route {
  const [, absoluteHost, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
  const target = absoluteHost === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`;
  const first = prefixOf(target);
  const address = readAddress(target, first);
  const { pathZone, target: found } = parseEdgePath(address.path);
  const isQueryKnown = isKnownQuery(address.query);
  return { host: readHost(absoluteHost ?? host, ownHosts), pathZone, address, target: found, isQueryKnown };
}

function prefixOf(target: string): string | null {
  const segment = target.split('/', 2)[1] ?? '';
  return parsePullZoneName(segment) === null ? null : `/${segment}`;
}

const IP = /^(\d{1,3}\.){3}\d{1,3}$|^\[/;

function readHost(host: string, ownHosts: HostRules): Route['host'] {
  const hostname = host.replace(/:\d*$/, '').toLowerCase();
  const dot = hostname.indexOf('.');
  if (dot === -1 || IP.test(hostname)) return null;
  const name = parsePullZoneName(hostname.slice(0, dot));
  if (name !== null && ownHosts.covers(hostname.slice(dot + 1))) return { by: 'name', name };
  return ownHosts.covers(hostname) ? null : { by: 'host', hostname };
}
