import type { IncomingMessage } from 'node:http';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { readCookie } from '../../lib/read-cookie.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { isSecure, type OwnPlace } from './session-cookie.ts';

/** Seconds within which a sign-in at a provider must be finished. */
export const ATTEMPT_SEC = 10 * 60;

const SECURE_NAME = '__Host-millrace-sign-in';
const PLAIN_NAME = 'millrace-sign-in';
const MAX_RETURN_LENGTH = 1_000;
/** Base for relative URLs. A URL with another origin is rejected. */
const BASE = 'http://dashboard.invalid';

const Attempt = Type.Object({
  purpose: Type.Literal('sign-in'),
  providerId: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  redirectUri: Type.String(),
  returnTo: Type.String(),
  /** Previous session of the browser, which ends when the sign-in is accepted. */
  session: Type.Union([Type.Null(), Type.String()]),
  expiresMs: Type.Number(),
});
/** A sign-in at a provider that a browser has started. The cookie that contains it is sealed. */
export type Attempt = Static<typeof Attempt>;
const validator = Compile(Attempt);

/** A request, the URLs of the service, and the box that seals the attempt. */
type AttemptPlace = { message: IncomingMessage; place: OwnPlace; secretBox: SecretBox };

/**
 * Returns the cookie of an attempt, or one that deletes it. `SameSite=Lax`, because the provider's page navigates to
 * the URL at which the attempt is finished.
 */
export function attemptCookie({ message, place, secretBox }: AttemptPlace, attempt: Attempt | null): string {
  const isTls = isSecure(message, place);
  const value = attempt === null ? '' : secretBox.seal(JSON.stringify(attempt)).toString('base64url');
  const age = attempt === null ? 0 : ATTEMPT_SEC;
  const start = `${isTls ? SECURE_NAME : PLAIN_NAME}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}`;
  return isTls ? `${start}; Secure` : start;
}

/** Returns the attempt in the cookie of a browser; null if there is none that is still valid. */
export function readAttempt({ message, place, secretBox }: AttemptPlace): Attempt | null {
  // Without the prefix, other hosts of the domain could set this cookie.
  const value = readCookie(message, isSecure(message, place) ? SECURE_NAME : PLAIN_NAME);
  if (value === null || !/^[\w-]{1,8000}$/.test(value)) return null;
  const attempt = openSealed(value, secretBox);
  return validator.Check(attempt) && attempt.expiresMs > Date.now() ? attempt : null;
}

function openSealed(value: string, secretBox: SecretBox): unknown {
  try {
    return JSON.parse(secretBox.open(Buffer.from(value, 'base64url')));
  } catch {
    // The browser sent a different value than the one we set.
    return null;
  }
}

/** Returns the path and query of a page of the dashboard to open after the sign-in; `/` for anything else. */
export function readReturn(text: string): string {
  if (text.length > MAX_RETURN_LENGTH || !URL.canParse(text, BASE)) return '/';
  const { origin, pathname, search } = new URL(text, BASE);
  return origin === BASE && (pathname === '/' || pathname.startsWith('/dashboard/')) ? pathname + search : '/';
}
