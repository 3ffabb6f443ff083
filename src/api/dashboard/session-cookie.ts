import type { IncomingMessage } from 'node:http';
import { SESSION_DAYS } from '../../catalog/keys/session-store.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import { readCookie } from '../../lib/read-cookie.ts';
import { Refused } from '../../lib/refused.ts';
import { requestOrigin } from '../../lib/request-origin.ts';

/** Browsers send a `__Host-` cookie only to this host and only over HTTPS (RFC 6265bis section 4.1.3.2). */
const SECURE_NAME = '__Host-millrace';
const PLAIN_NAME = 'millrace';
const SESSION_ID = /^[0-9a-f]{64}$/;

/** A header that only our own pages send: another origin would need a preflight for it. */
const PAGE_HEADER = 'x-millrace-dashboard';

/**
 * Public URL of the API as configured, and the trusted proxies, whose headers determine the scheme and host that the
 * caller used.
 */
export type OwnPlace = { publicUrl: string | null; trusted: AddressSet };

/** Credentials of a request: its key, or else the session id in its cookie. */
export type ShownClaim = { key: string | undefined; session: string | null };

/**
 * Reads the key and the cookie. Pages on other ports of this host are same-site, so a browser sends the cookie with
 * their requests too, even with `SameSite=Strict`. A write with a cookie is therefore refused (`forbidden`) unless our
 * own page sent it.
 */
export function sessionClaim(message: IncomingMessage, place: OwnPlace): ShownClaim {
  const { accesskey } = message.headers;
  const key = Array.isArray(accesskey) ? accesskey[0] : accesskey;
  if (key !== undefined && key !== '') return { key, session: null };
  const session = readSession(message);
  if (session !== null && message.method !== 'GET' && message.method !== 'HEAD') requireOwnPage(message, place);
  return { key: undefined, session };
}

/** Returns the session id in the cookie, or null. */
export function readSession(message: IncomingMessage): string | null {
  return [SECURE_NAME, PLAIN_NAME].map((name) => readCookie(message, name)).find(isSessionId) ?? null;
}

function isSessionId(value: string | null): boolean {
  return value !== null && SESSION_ID.test(value);
}

/** Throws `Refused` (`forbidden`) if the request was not sent by a page of the dashboard. */
export function requireOwnPage(message: IncomingMessage, { publicUrl, trusted }: OwnPlace): void {
  const { origin } = message.headers;
  const { host } = requestOrigin(message, trusted);
  const isOwn = origin !== undefined && isOwnOrigin(origin, host, publicUrl);
  if (isOwn && message.headers[PAGE_HEADER] === '1') return;
  const message403 =
    `A dashboard session can write only from the dashboard's own pages, with Origin and ${PAGE_HEADER}: 1. ` +
    'Anywhere else, send an AccessKey.';
  throw new Refused('forbidden', message403);
}

// A page cannot choose the Host of its request: the browser sets it to the address it connected to.
function isOwnOrigin(origin: string, host: string | null, publicUrl: string | null): boolean {
  if (publicUrl !== null && URL.canParse(publicUrl) && origin === new URL(publicUrl).origin) return true;
  return host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Returns the cookie of a session, or one that deletes it if `id` is null. */
export function sessionCookie(message: IncomingMessage, place: OwnPlace, id: string | null): string {
  const isTls = isSecure(message, place);
  const age = id === null ? 0 : SESSION_DAYS * 24 * 3600;
  const start = `${isTls ? SECURE_NAME : PLAIN_NAME}=${id ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}`;
  return isTls ? `${start}; Secure` : start;
}

/** Returns whether a browser uses the service over HTTPS. If so, its cookies must never be sent over HTTP. */
export function isSecure(message: IncomingMessage, { publicUrl, trusted }: OwnPlace): boolean {
  return publicUrl?.startsWith('https:') === true || requestOrigin(message, trusted).scheme === 'https';
}
