import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refused } from '../../lib/refused.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import type { RelyingParty } from '../../lib/webauthn.ts';
import type { OwnPlace } from './session-cookie.ts';

/**
 * Origin at which passkeys work and the URL of the dashboard there, or the reason why there is none. Sent to the
 * dashboard. `no-address`: without a public URL, they work only on `localhost`. `address`: the public URL has an IP
 * address, which browsers refuse. `plain-http`: it has no TLS.
 */
export type PasskeyPlace =
  | { origin: string; url: string; fault: null }
  | { origin: null; url: null; fault: 'no-address' | 'address' | 'plain-http' };

/** Returns where passkeys work. A request determines it only on `localhost`, because its Host header can be forged. */
export function passkeyPlace(message: IncomingMessage, { publicUrl, trusted }: OwnPlace): PasskeyPlace {
  const { scheme, host } = requestOrigin(message, trusted);
  const { protocol, hostname, origin, pathname } = new URL(publicUrl ?? `${scheme}://${host ?? 'unknown.invalid'}`);
  const url = `${origin}${pathname.replace(/\/*$/, '/')}`;
  if (hostname === 'localhost') return { origin, url, fault: null };
  if (publicUrl === null) return { origin: null, url: null, fault: 'no-address' };
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return { origin: null, url: null, fault: 'address' };
  return protocol === 'https:' ? { origin, url, fault: null } : { origin: null, url: null, fault: 'plain-http' };
}

const FAULTS = {
  'no-address': 'Passkeys need the public URL of the service. Set MILLRACE_PUBLIC_URL to its https URL.',
  address: 'Passkeys need a host name, but MILLRACE_PUBLIC_URL has an IP address. Set it to an https URL with a name.',
  'plain-http': 'Passkeys need https, but MILLRACE_PUBLIC_URL has http. Set it to an https URL.',
} as const;

/** Returns the relying party. Throws `Refused` (`invalid`) if the page of a request cannot use its passkeys. */
export function requireRelyingParty(message: IncomingMessage, own: OwnPlace): RelyingParty {
  const { origin, url, fault } = passkeyPlace(message, own);
  if (fault !== null) throw new Refused('invalid', FAULTS[fault]);
  const sent = message.headers.origin;
  if (sent === origin) return { id: new URL(origin).hostname, origin };
  throw new Refused('invalid', `Passkeys work only at ${url}. Open the dashboard there.`);
}
