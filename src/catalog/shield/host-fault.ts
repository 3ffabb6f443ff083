import type { IncomingMessage, RequestListener } from 'node:http';
import type { Hit } from './hit.ts';
import { RULES } from './rules.ts';

/**
 * Returns the fault in a request's host (RFC 9112 section 3.2 requires such requests to be refused), or null.
 * If a request has several host names, a cache or proxy in front of the service may have used a different one than
 * Node, which keeps the first.
 */
export function findHostFault({
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): Hit | null {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return { rule: RULES.severalHosts, expected: 'one Host header', received: 'several' };
  const isMissing = hosts === 0 && httpVersion === '1.1';
  return isMissing ? { rule: RULES.malformed, expected: 'a Host header', received: 'none' } : null;
}

/**
 * Wraps the handler of a server that keeps no event log: a request whose host is ambiguous gets 400, and its connection
 * ends, because a proxy may have read another request.
 */
export function requireOneHost(handle: RequestListener): RequestListener {
  return (request, response) => {
    const fault = findHostFault(request);
    if (fault === null) {
      handle(request, response);
      return;
    }
    const message = describeHostFault(fault);
    response.writeHead(400, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    response.end(JSON.stringify({ message }));
  };
}

/** Returns the message of a refusal for a fault that `findHostFault` found. */
export function describeHostFault({ expected, received }: Hit): string {
  return `Expected ${expected}, got ${received}. Send the name of this server once.`;
}
