import { PUBLIC_KEY_ALGORITHMS } from '../../lib/public-key-algorithms.ts';
import type { RemoteKeys } from '../../lib/remote-keys.ts';
import { VERDICT_SEC, type ViewerAccess } from '../libraries/viewer-access.ts';
import { shortReason, type ViewerFacts, type ViewerVerdict } from './viewer-verdict.ts';

/** Difference between the clocks of issuer and edge that is allowed, in seconds. */
const SKEW_SEC = 30;
/** Time for which a refusal is kept, in ms. It is short, because a key may be published late. */
const DENIED_MS = 5_000;

type Issuer = Extract<ViewerAccess, { mode: 'jwt' }>;

/**
 * Verifies the token of a viewer (RFC 7519): signature with a public key of the issuer, `iss`, `aud`, `exp` and `nbf`, and
 * the ids that it is for. Throws an error if the keys cannot be loaded.
 */
export async function verifyViewerToken(
  { issuer, audience, jwksUrl, videoClaim, collectionClaim }: Issuer,
  { token, mediaId, collectionId }: ViewerFacts,
  findKeys: RemoteKeys,
): Promise<ViewerVerdict> {
  const nowMs = Date.now();
  const deny = (reason: string): ViewerVerdict => ({
    kind: 'denied',
    reason: shortReason(reason),
    untilMs: nowMs + DENIED_MS,
  });
  if (token === '') return deny('no viewer token');
  const [{ jwtVerify, errors }, keys] = await Promise.all([import('jose'), findKeys(jwksUrl)]);
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: PUBLIC_KEY_ALGORITHMS,
      clockTolerance: SKEW_SEC,
      requiredClaims: ['exp'],
    });
    const isForVideo = videoClaim !== null && names(payload[videoClaim], mediaId);
    const isForCollection =
      collectionClaim !== null && collectionId !== null && names(payload[collectionClaim], collectionId);
    const isForAll = videoClaim === null && collectionClaim === null;
    if (!isForAll && !isForVideo && !isForCollection) return deny('a token for other videos');
    const untilMs = Math.min(((payload.exp ?? 0) + SKEW_SEC) * 1000, nowMs + VERDICT_SEC.max * 1000);
    return { kind: 'allowed', reason: '', untilMs };
  } catch (error) {
    const isOfToken = error instanceof errors.JOSEError && !FAULTS_OF_KEYS.has(error.code);
    if (!isOfToken) throw error;
    return deny(error.message);
  }
}

/** Error codes of the package for keys that cannot be loaded. All others are faults of the token. */
const FAULTS_OF_KEYS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

/** Returns whether a claim is an id, or a list that contains it. Hyphens and case do not matter. */
function names(claim: unknown, id: string): boolean {
  const ids: unknown[] = Array.isArray(claim) ? claim : [claim];
  const plain = (text: string) => text.replaceAll('-', '').toLowerCase();
  return ids.some((one) => typeof one === 'string' && plain(one) === plain(id));
}
