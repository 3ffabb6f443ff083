import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isIPv6 } from 'node:net';
import { readOwnSettings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';

const ANSWER_MS = 5000;
/** Wildcard addresses, and the address at which this machine reaches a server that listens on them. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * `millrace ready`: returns exit code 0 if the service or the role on this machine is ready. Throws `Refused` if it is
 * not.
 */
export async function ready(): Promise<number> {
  const { host, healthPort, port, tls } = readOwnSettings();
  const reached = EVERYWHERE[host] ?? host;
  const name = isIPv6(reached) ? `[${reached}]` : reached;
  // A role that runs alone has a health port, which is checked first, because the port of the API may belong to another
  // service. The whole service reports its health on the port of the API.
  const ports = [healthPort, port].filter((known) => known !== null);
  const states = await Promise.all(
    ports.map(async (known) => {
      const scheme = tls !== null && known === port ? 'https' : 'http';
      return await readState(`${scheme}://${name}:${known}`);
    }),
  );
  const best = states.find((state) => state !== null) ?? null;
  if (best === 'ready') return 0;
  const found = best === null ? 'no response' : `status ${best}`;
  throw new Refused(
    'unavailable',
    `Expected a ready service at port ${ports.join(' or ')} of ${reached}, got ${found}.`,
  );
}

/** Returns `ready`, the HTTP status if the service is not ready, or null if nothing responds. */
async function readState(url: string): Promise<'ready' | number | null> {
  for (const path of ['/readyz', '/healthz']) {
    const status = await readStatus(url + path).catch(() => null);
    if (status !== 404) return status === 200 ? 'ready' : status;
  }
  return 404;
}

/**
 * Returns the HTTP status of a URL. Does not verify the certificate, which is for the public hostname and not for the
 * address of this machine.
 */
async function readStatus(url: string): Promise<number | null> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const sent = url.startsWith('https:')
    ? requestSecurely(url, { signal, rejectUnauthorized: false, agent: false })
    : request(url, { signal, agent: false });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.destroy();
  return response?.statusCode ?? null;
}
