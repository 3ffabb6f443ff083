import ipaddr from 'ipaddr.js';

/** Whether an address belongs to a host on the public internet, so that a lookup of its location makes sense. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
