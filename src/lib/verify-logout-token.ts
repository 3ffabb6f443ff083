import type { JWTVerifyGetKey } from 'jose';
import { PUBLIC_KEY_ALGORITHMS } from './public-key-algorithms.ts';

/** Verified claims of a logout token. At least one of subject and session is not null. */
export type LogoutClaims = { issuer: string; subject: string | null; sessionId: string | null; tokenId: string };

/** Time for which a logout token is accepted after it was issued, in seconds. */
export const LOGOUT_TOKEN_SEC = 5 * 60;
const CLOCK_TOLERANCE_SEC = 60;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];
/** Maximum length of an id in the claims of a provider. */
export const MAX_CLAIM_CHARS = 255;

type Expected = { issuer: string; clientId: string; keys: JWTVerifyGetKey };

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.6), except that the caller must refuse a
 * `tokenId` that was used before. Throws an error with the reason for a token that is not valid.
 */
export async function verifyLogoutToken(token: string, { issuer, clientId, keys }: Expected): Promise<LogoutClaims> {
  const { jwtVerify } = await import('jose');
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: PUBLIC_KEY_ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_SEC,
    maxTokenAge: LOGOUT_TOKEN_SEC,
    requiredClaims: ['iat', 'jti', 'events'],
  });
  if (!TYPES.includes(protectedHeader.typ?.toLowerCase()))
    throw new Error('Expected the type logout+jwt, got another one.');
  const { [EVENT]: event }: { [EVENT]?: unknown } = Object(payload.events);
  if (typeof event !== 'object' || event === null) throw new Error('Expected the event of a logout, got none.');
  // An ID token has one. This rule keeps it from ending sessions.
  if (payload.nonce !== undefined) throw new Error('Expected no nonce, got one.');
  const [subject, sessionId, tokenId] = [payload.sub, payload.sid, payload.jti].map(readText);
  if (tokenId == null) throw new Error('Expected the id of the token, got none.');
  if (subject == null && sessionId == null) throw new Error('Expected a subject or a session, got neither.');
  return { issuer, subject: subject ?? null, sessionId: sessionId ?? null, tokenId };
}

function readText(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' && claim.length <= MAX_CLAIM_CHARS ? claim : null;
}
