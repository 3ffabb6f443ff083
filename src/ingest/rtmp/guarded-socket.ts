import { lookup } from 'node:dns/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { AddressRules } from '../../lib/outbound/address-rules.ts';
import { Refused } from '../../lib/refused.ts';
import type { RelayTarget } from './relay-target.ts';

/** Allowed RTMP ports of public addresses. Addresses that the administrator listed may use any port. */
const PORTS = new Set([80, 443, 1935, 1936, 2935]);

/**
 * Connects to a host if the address rules allow it. A hostname is resolved once, and the checked address is used for
 * the connection.
 */
export async function openGuardedSocket({ host, port, isSecure }: RelayTarget, rules: AddressRules): Promise<Socket> {
  const [first, ...others] = await lookup(host, { all: true });
  if (first === undefined) throw new Refused('invalid', `The host name ${host} has no address.`);
  for (const { address } of [first, ...others]) {
    const verdict = rules(address);
    if (verdict.kind === 'denied') {
      throw new Refused(
        'invalid',
        `The host ${host} is not allowed: its address is ${verdict.reason}. List it in MILLRACE_OUTBOUND_ALLOW.`,
      );
    }
    if (verdict.kind === 'public' && !PORTS.has(port)) {
      const ports = [...PORTS].join(', ');
      throw new Refused('invalid', `Expected one of the ports ${ports}, got ${port}. Change the port of the relay.`);
    }
  }
  const peer = { host: first.address, port };
  return isSecure ? connectSecure({ ...peer, servername: host }) : connectPlain(peer);
}
