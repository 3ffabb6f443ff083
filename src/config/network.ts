import ipaddr from 'ipaddr.js';
import { readAddressSet } from '../lib/client-address.ts';
import { Refused } from '../lib/refused.ts';
import type { TlsPaths } from '../lib/tls/read-tls-pair.ts';
import { parseAbsolutePath, parseBaseUrl, parseHost, parsePort, setting } from './setting.ts';

export type NetworkSettings = {
  host: string;
  /** Ports; 0 selects any free one. */
  port: number;
  edgePort: number;
  /** Port of `/healthz` and `/readyz` for a role that runs alone; null: none. */
  healthPort: number | null;
  /** Port of `/metrics` for all roles of one process tree; null: none. */
  metricsPort: number | null;
  /** Networks that may read the metrics, besides this machine and trusted proxies. */
  metricsAllow: readonly string[];
  /** URLs that clients use, without a final slash; null: built from host and port. */
  publicUrl: string | null;
  edgeUrl: string | null;
  /** Hosts of our own pages, `*.` for all subdomains. The hosts of the URLs above are always included. */
  ownHosts: readonly string[];
  /** PEM files with the certificate and key of both listeners; null: no TLS. */
  tls: TlsPaths | null;
  /** Networks of proxies in front of both listeners. Only their `X-Forwarded-` headers count. */
  trustedProxies: readonly string[];
  /** MaxMind DB files of the operator, instead of the bundled country table. */
  countryDatabase: string | null;
  asnDatabase: string | null;
  /** Private CIDR ranges that outgoing requests may reach. */
  outboundAllow: readonly string[];
};

const port = setting('a port from 0 to 65535 (0: any free one)', parsePort);
const address = setting('an http:// or https:// URL without user or query', parseBaseUrl);

export const networkSchema = {
  MILLRACE_HOST: setting('an IP address or host name to listen on', parseHost),
  MILLRACE_PORT: port,
  MILLRACE_EDGE_PORT: port,
  MILLRACE_HEALTH_PORT: port,
  MILLRACE_METRICS_PORT: port,
  MILLRACE_METRICS_ALLOW: setting('addresses and CIDR ranges joined by commas, such as 10.0.0.0/8', parseNetworks),
  MILLRACE_PUBLIC_URL: address,
  MILLRACE_EDGE_URL: address,
  MILLRACE_OWN_HOSTS: setting('host names joined by commas, such as video.example,*.media.example', parseHosts),
  MILLRACE_TRUSTED_PROXIES: setting('addresses and CIDR ranges joined by commas, such as 10.0.0.0/8', parseNetworks),
  MILLRACE_TLS_CERTIFICATE: setting('the absolute path of a PEM file with the certificate chain', parseAbsolutePath),
  MILLRACE_TLS_KEY: setting('the absolute path of a PEM file with the private key', parseAbsolutePath),
  MILLRACE_COUNTRY_DATABASE: setting('a MaxMind DB file of countries', parsePath),
  MILLRACE_ASN_DATABASE: setting('a MaxMind DB file of autonomous systems', parsePath),
  MILLRACE_OUTBOUND_ALLOW: setting('CIDR ranges joined by commas, such as 10.0.0.0/8,fd00::/8', parseRanges),
};

export function networkSettings(texts: Partial<Record<keyof typeof networkSchema, string>>): NetworkSettings {
  const host = parseHost(texts.MILLRACE_HOST ?? '') ?? '127.0.0.1';
  const publicUrl = parseBaseUrl(texts.MILLRACE_PUBLIC_URL ?? '');
  const edgeUrl = parseBaseUrl(texts.MILLRACE_EDGE_URL ?? '');
  return {
    host,
    port: parsePort(texts.MILLRACE_PORT ?? '') ?? 7700,
    edgePort: parsePort(texts.MILLRACE_EDGE_PORT ?? '') ?? 7701,
    healthPort: parsePort(texts.MILLRACE_HEALTH_PORT ?? ''),
    metricsPort: parsePort(texts.MILLRACE_METRICS_PORT ?? ''),
    metricsAllow: parseNetworks(texts.MILLRACE_METRICS_ALLOW ?? '') ?? [],
    publicUrl,
    edgeUrl,
    ownHosts: [...hostsOf({ host, publicUrl, edgeUrl }), ...(parseHosts(texts.MILLRACE_OWN_HOSTS ?? '') ?? [])],
    trustedProxies: parseNetworks(texts.MILLRACE_TRUSTED_PROXIES ?? '') ?? [],
    tls: tlsPaths(texts.MILLRACE_TLS_CERTIFICATE, texts.MILLRACE_TLS_KEY),
    countryDatabase: texts.MILLRACE_COUNTRY_DATABASE ?? null,
    asnDatabase: texts.MILLRACE_ASN_DATABASE ?? null,
    outboundAllow: parseRanges(texts.MILLRACE_OUTBOUND_ALLOW ?? '') ?? [],
  };
}

/** Returns the hosts of our pages: the hosts of the configured URLs, or this machine's address. */
function hostsOf({ host, publicUrl, edgeUrl }: Pick<NetworkSettings, 'host' | 'publicUrl' | 'edgeUrl'>): string[] {
  const named = [publicUrl, edgeUrl].flatMap((url) => (url === null ? [] : [new URL(url).hostname]));
  if (edgeUrl !== null) return named;
  const own = host.includes(':') ? `[${host}]` : host.toLowerCase();
  return [...new Set([...named, 'localhost', '127.0.0.1', '[::1]', own])];
}

function parseHosts(text: string): string[] | null {
  const hosts = text
    .toLowerCase()
    .split(',')
    .map((host) => host.trim());
  return hosts.every((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host)) ? hosts : null;
}

function parsePath(text: string): string | null {
  return text.includes('\0') ? null : text;
}

function tlsPaths(certificatePath: string | undefined, keyPath: string | undefined): TlsPaths | null {
  if (certificatePath !== undefined && keyPath !== undefined) return { certificatePath, keyPath };
  if (certificatePath === undefined && keyPath === undefined) return null;
  const [given, missing] =
    keyPath === undefined
      ? ['MILLRACE_TLS_CERTIFICATE', 'MILLRACE_TLS_KEY']
      : ['MILLRACE_TLS_KEY', 'MILLRACE_TLS_CERTIFICATE'];
  throw new Refused('invalid', `${missing}: expected the path of a file because ${given} is set, got none. Set both.`);
}

function parseNetworks(text: string): string[] | null {
  const networks = text.split(',').map((network) => network.trim());
  return readAddressSet(networks) === null ? null : networks;
}

function parseRanges(text: string): string[] | null {
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every((range) => ipaddr.isValidCIDR(range)) ? ranges : null;
}
