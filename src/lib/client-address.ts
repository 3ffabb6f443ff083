import ipaddr from 'ipaddr.js';

/** Whether an address lies in one of some networks. */
export type AddressSet = { has(address: string): boolean };

type Parsed = ReturnType<typeof ipaddr.parse>;

/**
 * Reads networks as owners write them: an address, a CIDR range, or an IPv4 address that ends in `.*`. Null for a list
 * that has anything else.
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

/**
 * The address of who sent a request: the socket's, or where that is a trusted proxy's, the last of `X-Forwarded-For`
 * that is none. What a client writes there itself stands before that, and counts for nothing.
 */
export function clientAddress(
  { remoteAddress, forwardedFor }: { remoteAddress: string | undefined; forwardedFor: string | undefined },
  trusted: AddressSet,
): string {
  let address = canonical(remoteAddress ?? '') ?? '';
  if (forwardedFor === undefined || !trusted.has(address)) return address;
  for (const hop of forwardedFor.split(',').reverse()) {
    const named = canonical(hop.trim());
    if (named === null) return address;
    address = named;
    if (!trusted.has(address)) return address;
  }
  return address;
}

function canonical(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}
