import { type Static, Type } from 'typebox';
import { createSealedCookie } from './sealed-cookie.ts';

/** Seconds within which a sign-in at a provider must be finished. */
export const ATTEMPT_SEC = 10 * 60;

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

/**
 * Keeps the attempt in the browser. `SameSite=Lax`, because the provider's page navigates to the URL at which
 * the attempt is finished.
 */
export const attemptCookie = createSealedCookie({
  name: 'millrace-sign-in',
  sameSite: 'Lax',
  maxAgeSec: ATTEMPT_SEC,
  schema: Attempt,
});

/** Returns the path and query of a page of the dashboard to open after the sign-in; `/` for anything else. */
export function readReturn(text: string): string {
  if (text.length > MAX_RETURN_LENGTH || !URL.canParse(text, BASE)) return '/';
  const { origin, pathname, search } = new URL(text, BASE);
  return origin === BASE && (pathname === '/' || pathname.startsWith('/dashboard/')) ? pathname + search : '/';
}
