import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Refused } from '../refused.ts';
import type { AddressRules } from './address-rules.ts';

/** Resolves a host name to all its addresses. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

const ANY_HOST_PORTS = new Set([80, 443, 8080, 8443]);

/** Returns a lookup for sockets that only yields allowed addresses. Resolves a name once and checks all addresses. */
export function guardedLookup(rules: AddressRules, lookup: Lookup, port: number): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(rules, lookup, { hostname, port }).then(
      ([first, ...others]) => {
        if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}

/** DNS errors that a later attempt may not encounter. */
const TEMPORARY = ['EAI_AGAIN', 'ETIMEOUT', 'ESERVFAIL', 'ECONNREFUSED'];

async function checkedAddresses(
  rules: AddressRules,
  lookup: Lookup,
  { hostname, port }: { hostname: string; port: number },
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await lookup(hostname).catch((error: unknown) => {
    const kind = TEMPORARY.includes(String(Object(error).code)) ? 'unavailable' : 'invalid';
    throw new Refused(kind, `The host name ${hostname} could not be resolved.`, { cause: error });
  });
  if (first === undefined) throw new Refused('invalid', `The host name ${hostname} has no address.`);
  for (const { address } of [first, ...others]) {
    const refusal = findRefusal(rules, { hostname, address, port });
    if (refusal !== null) throw refusal;
  }
  return [first, ...others];
}

type Destination = { hostname: string; address: string; port: number };

/** Returns why a connection is not allowed, or null if it is. */
export function findRefusal(rules: AddressRules, { hostname, address, port }: Destination): Refused | null {
  const verdict = rules(address);
  switch (verdict.kind) {
    case 'listed':
      return null;
    case 'denied':
      return new Refused('invalid', `The host ${hostname} is not allowed: its address is ${verdict.reason}.`);
    case 'public':
      if (ANY_HOST_PORTS.has(port)) return null;
      return new Refused('invalid', `Port ${port} is not allowed: expected one of ${[...ANY_HOST_PORTS].join(', ')}.`);
  }
}

/** Resolves a name with the system's resolver. */
export function lookupAll(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}
