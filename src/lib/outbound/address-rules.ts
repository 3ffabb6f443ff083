import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Verdict on an address: `listed` by the administrator, `public`, or denied with a reason. */
export type Verdict = { kind: 'listed' } | { kind: 'public' } | { kind: 'denied'; reason: string };

/** The routed IPv6 address space. The rest includes old notations of IPv4 addresses, such as `::127.0.0.1`. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

export type AddressRules = (address: string) => Verdict;

/** Addresses that look public but are not: the Azure virtual host, which provides machine credentials. */
const DENIED_UNICAST = new Set(['168.63.129.16']);

/**
 * Creates rules for addresses that the server may connect to. `allow` has CIDR blocks or single addresses.
 * `ownAddresses` returns those of this machine and is called each time. Throws an `Error` that names a malformed block.
 */
export function createAddressRules(
  allow: readonly string[],
  ownAddresses: () => readonly string[] = interfaceAddresses,
): AddressRules {
  const blocks = allow.map(parseBlock);
  return (text) => {
    if (!ipaddr.isValid(text)) return { kind: 'denied', reason: 'no IP address' };
    const address = unwrap(ipaddr.parse(text));
    if (blocks.some((block) => contains(block, address))) return { kind: 'listed' };
    const range = address.range();
    if (range !== 'unicast') return { kind: 'denied', reason: `in the "${range}" range` };
    if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return { kind: 'denied', reason: 'not global' };
    if (DENIED_UNICAST.has(address.toString())) return { kind: 'denied', reason: 'internal to a cloud' };
    const isOwn = ownAddresses().some((own) => normalise(own) === address.toNormalizedString());
    return isOwn ? { kind: 'denied', reason: 'this machine itself' } : { kind: 'public' };
  };
}

type Block = { network: Address; bits: number };

function parseBlock(text: string): Block {
  const hasBits = text.includes('/');
  if (hasBits ? !ipaddr.isValidCIDR(text) : !ipaddr.isValid(text)) {
    throw new Error(`Expected a CIDR block such as 10.0.0.0/8 or an address, got ${JSON.stringify(text)}.`);
  }
  if (!hasBits) {
    const network = unwrap(ipaddr.parse(text));
    return { network, bits: network.kind() === 'ipv4' ? 32 : 128 };
  }
  const [network, bits] = ipaddr.parseCIDR(text);
  return { network, bits };
}

function contains({ network, bits }: Block, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** Converts `::ffff:10.0.0.1` to 10.0.0.1, because the kernel treats both alike. */
function unwrap(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function normalise(text: string): string {
  return ipaddr.isValid(text) ? unwrap(ipaddr.parse(text)).toNormalizedString() : text;
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
