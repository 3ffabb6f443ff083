import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules } from './address-rules.ts';
import { findRefusal, guardedLookup, type Lookup, lookupAll } from './guarded-lookup.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates a connector that only reaches allowed addresses. Checks literal addresses before the connection (a `lookup`
 * hook never sees them). Resolves names once, checks all their addresses and connects to exactly those, so a DNS change
 * in between has no effect.
 */
export function createGuardedConnector(rules: AddressRules, lookup: Lookup = lookupAll): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(hostname) !== 0) {
      const refusal = findRefusal(rules, { hostname, address: hostname, port });
      if (refusal !== null) return callback(refusal, null);
    }
    const connect = buildConnector({
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      maxCachedSessions: 0,
      lookup: guardedLookup(rules, lookup, port),
    });
    return connect({ ...options, hostname }, callback);
  };
}
