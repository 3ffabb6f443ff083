import type { IncomingMessage } from 'node:http';

/**
 * Whether a request names more than one host (RFC 9112 section 3.2 has it refused): a cache or proxy before us may have
 * chosen the other one. Node keeps the first and drops the rest.
 */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
