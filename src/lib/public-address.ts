import ipaddr from 'ipaddr.js';

/** Whether an address belongs to one host of the internet, so that something may be known about it. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}
