import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { PassThrough } from 'node:stream';
import type { AddressRules } from './address-rules.ts';
import { findRefusal, guardedLookup, type Lookup, lookupAll } from './guarded-lookup.ts';

/** Agents of `node:http` that only reach allowed addresses. */
export type GuardedAgents = { http: HttpAgent; https: HttpsAgent };

const OPTIONS = { keepAlive: true, maxSockets: 16 };

/**
 * Creates agents for a client that has no connector of its own, such as the AWS SDK. Their connections are checked like
 * those of `createGuardedConnector`.
 */
export function createGuardedAgents(rules: AddressRules, lookup: Lookup = lookupAll): GuardedAgents {
  return {
    http: guard(new HttpAgent(OPTIONS), { rules, lookup, usualPort: 80 }),
    https: guard(new HttpsAgent(OPTIONS), { rules, lookup, usualPort: 443 }),
  };
}

type Guard = { rules: AddressRules; lookup: Lookup; usualPort: number };

function guard<A extends HttpAgent>(agent: A, { rules, lookup, usualPort }: Guard): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const port = Number(options.port) || usualPort;
    const hostname = String(options.host).replace(/^\[|\]$/g, '');
    // A `lookup` hook never sees literal addresses.
    const refusal = isIP(hostname) === 0 ? null : findRefusal(rules, { hostname, address: hostname, port });
    if (refusal === null) return connect({ ...options, lookup: guardedLookup(rules, lookup, port) }, callback);
    // Node reports the error to the request, which never uses the stream.
    callback?.(refusal, new PassThrough());
    return null;
  };
  return agent;
}
