import { remember } from '../../../lib/remember.ts';
import type { SignedAddress, SigningZone, UrlToken } from '../../pull-zones/url-token.ts';
import {
  judgeVerified,
  type TokenBearer,
  type TokenVerdict,
  verifyUrlToken,
} from '../../pull-zones/verify-url-token.ts';

const MAX_TOKENS = 10_000;

/** `zone` and its revision identify its keys; results found with them are valid until `keysUntilMs`. */
export type TokenZone = SigningZone & { name: string; revision: number; keysUntilMs: number | null };

/**
 * Verifies tokens, and recognises those whose signature was verified before, because a viewer's session presents one
 * token hundreds of times. Time, path and country are checked at each request. Invalid tokens are not kept, because
 * their senders choose them.
 */
export class KnownTokens {
  readonly #verified = new Map<string, { token: UrlToken; untilMs: number }>();

  verify(address: SignedAddress, zone: TokenZone, bearer: TokenBearer): TokenVerdict {
    const { token } = address;
    if (typeof token === 'string') return { fault: token };
    const name = nameOf(token, address, zone, bearer);
    const known = this.#verified.get(name);
    if (known !== undefined && bearer.nowMs < known.untilMs) return judgeVerified(known.token, address, zone, bearer);
    const verdict = verifyUrlToken(address, zone, bearer);
    const untilMs = zone.keysUntilMs ?? Number.POSITIVE_INFINITY;
    if ('token' in verdict) remember(this.#verified, [name, { token, untilMs }], MAX_TOKENS);
    return verdict;
  }
}

/** Returns a cache key from everything that a signature depends on. */
function nameOf(
  token: UrlToken,
  { path, text, form }: SignedAddress,
  zone: TokenZone,
  { address }: TokenBearer,
): string {
  const place = token.tokenPath === null ? path : '';
  const bound = token.scheme !== 'hs256' || token.bindsAddress ? address : '';
  return `${zone.name}|${zone.revision}|${form}|${bound}|${place}|${text}`;
}
