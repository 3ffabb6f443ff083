import ipaddr from 'ipaddr.js';

/** Key of a client without a known address, such as that of a closed socket. */
export const UNKNOWN_CLIENT = 'unknown';

/**
 * Returns the unit that budgets and rates count as one client: an IPv4 address, or the /64 network of an IPv6 address,
 * which belongs to one household (RFC 6177).
 */
export function clientKey(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return UNKNOWN_CLIENT;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
