import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Whether an address belongs to a set of networks. */
export type AddressSet = { has(address: string): boolean };

/** Loopback addresses (RFC 6890). */
const LOOPBACK: AddressSet = {
  has: (address) => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback',
};

type Parsed = ReturnType<typeof ipaddr.parse>;

/**
 * Parses networks as operators write them: an address, a CIDR range, or an IPv4 address that ends in `.*`. Returns null
 * if any entry is something else.
 */
export function readAddressSet(networks: readonly string[]): AddressSet | null {
  const ranges: [Parsed, number][] = [];
  for (const network of networks) {
    const range = readRange(network);
    if (range === null) return null;
    ranges.push(range);
  }
  return {
    has(address) {
      if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
      const parsed = ipaddr.process(address);
      return ranges.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
    },
  };
}

function readRange(network: string): [Parsed, number] | null {
  const text = network.trim();
  const stars = /^(\d{1,3}(?:\.\d{1,3}){0,2})((?:\.\*){1,3})$/.exec(text);
  if (stars !== null) {
    const given = (stars[1] ?? '').split('.');
    if (given.length + (stars[2] ?? '').length / 2 !== 4) return null;
    return readCidr(`${[...given, '0', '0', '0'].slice(0, 4).join('.')}/${8 * given.length}`);
  }
  if (text.includes('/')) return readCidr(text);
  if (!ipaddr.isValid(text) || (ipaddr.IPv4.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text))) return null;
  const parsed = ipaddr.process(text);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}

function readCidr(text: string): [Parsed, number] | null {
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : null;
}

/** The empty set of addresses. */
export const NO_ADDRESSES: AddressSet = { has: () => false };

/** Returns the addresses of trusted proxies. Throws if a setting is not a network. */
export function readTrustedProxies(networks: readonly string[]): AddressSet {
  const trusted = readAddressSet(networks);
  if (trusted === null)
    throw new Error(`Expected trusted proxies as IP addresses or CIDR ranges, got ${networks.join()}.`);
  return trusted;
}

/**
 * Returns the address that sent a request: the address of the socket or, if the socket belongs to a trusted proxy, the
 * last address in `X-Forwarded-For` that is not a trusted proxy. Proxies append addresses, so an address that a client
 * wrote itself precedes theirs and has no effect. A proxy may add the port (`192.0.2.7:5555`, `"[2001:db8::1]:443"`).
 * If it gives no address (`unknown`, `_hidden`), the proxy counts as the client.
 */
export function clientAddress(
  { remoteAddress, forwardedFor }: { remoteAddress: string | undefined; forwardedFor: string | undefined },
  trusted: AddressSet,
): string {
  let address = canonical(remoteAddress ?? '') ?? '';
  if (forwardedFor === undefined || !trusted.has(address)) return address;
  // Empty elements of a list have no meaning (RFC 9110 section 5.6.1).
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  for (const hop of hops.filter((text) => text !== '').reverse()) {
    const named = readHop(hop);
    if (named === null) return address;
    address = named;
    if (!trusted.has(address)) return address;
  }
  return address;
}

/**
 * Whether a request is from a program on this machine or from a trusted proxy itself. Returns false for requests that
 * the headers show to be forwarded by another proxy on this machine, or sent by a page of another origin.
 */
export function isFromHere(
  {
    socket: { remoteAddress },
    headers,
  }: { socket: { remoteAddress?: string | undefined }; headers: IncomingHttpHeaders },
  trusted: AddressSet,
): boolean {
  const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join();
  const direct = clientAddress({ remoteAddress, forwardedFor: undefined }, trusted);
  const address = clientAddress({ remoteAddress, forwardedFor }, trusted);
  const isForwarded = forwardedFor !== '' || headers.forwarded !== undefined || headers.via !== undefined;
  if (headers.origin !== undefined || (isForwarded && address === direct)) return false;
  return LOOPBACK.has(address) || trusted.has(address);
}

/** Parses a node as proxies write it (RFC 7239 section 6): an address with or without quotes and port. */
function readHop(hop: string): string | null {
  const text = hop.replace(/^"(.*)"$/, '$1').trim();
  const [, bracketed] = /^\[([^\]]*)\](?::\w*)?$/.exec(text) ?? [];
  if (bracketed !== undefined) return ipaddr.IPv6.isValid(bracketed) ? canonical(bracketed) : null;
  const [, host = text] = /^([\d.]+):\w*$/.exec(text) ?? [];
  return ipaddr.IPv6.isValid(host) || ipaddr.IPv4.isValidFourPartDecimal(host) ? canonical(host) : null;
}

/**
 * Returns the canonical form of an address. Converts IPv4-mapped IPv6 to IPv4, and removes the zone of a link
 * (`%eth0`).
 */
function canonical(text: string): string | null {
  const [bare = ''] = text.split('%', 1);
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}
