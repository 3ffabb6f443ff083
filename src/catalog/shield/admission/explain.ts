import { candidates, type SignedAddress, type UrlToken } from '../../pull-zones/url-token.ts';
import { verifyUrlToken } from '../../pull-zones/verify-url-token.ts';
import { signingKeys, type ZonePolicy } from '../../pull-zones/zone-policy.ts';
import type { Hit } from '../hit.ts';
import { type AdmissionContext, type AdmissionRequest, STAGES } from './admit.ts';

/** Verdict of one stage about a request. */
export type StageVerdict = { stage: string; verdict: 'allow' | 'log' | 'block'; hit: Hit | null };

/**
 * Returns every stage's verdict, including those after the deciding one. `context` must be dry, so that nothing is
 * counted or recorded.
 */
export function explainStages(request: AdmissionRequest, context: AdmissionContext): StageVerdict[] {
  return Object.entries(STAGES).map(([stage, judge]) => {
    const verdict = judge(request, { ...context, dry: true });
    const hit = verdict.kind === 'block' ? verdict.hit : verdict.kind === 'log' ? (verdict.hits[0] ?? null) : null;
    return { stage, verdict: verdict.kind, hit };
  });
}

const MASK = '***';

/**
 * Returns the message that the zone would have signed for a URL in the scheme of its token, with the key masked, or
 * null without a token.
 */
export function describeSigned({ token, path }: SignedAddress, zone: ZonePolicy, address: string): string | null {
  if (typeof token === 'string') return null;
  const signing = { keys: [MASK], holdsAddress: zone.settings.tokenHoldsAddress, prefix: `/${zone.name}` };
  const [first] = candidates({ token, path }, address, signing);
  if (first === undefined) return null;
  const text = Buffer.from(first.message)
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]/g, '.');
  return first.algorithm === 'hmac-sha256' ? `HMAC-SHA256(${MASK}, "${text}")` : `${first.algorithm}("${text}")`;
}

/** Returns the common mistake that explains a refused token, or null if none is found. */
export function findNearMiss(
  address: SignedAddress,
  zone: ZonePolicy,
  bearer: { address: string; nowMs: number },
): string | null {
  const { token } = address;
  if (token === 'bad-expires') {
    const isInMs = /\bexpires=\d{13}(?!\d)/.test(address.text);
    return isInMs ? 'expires is in milliseconds' : 'expires must be in whole seconds since 1970';
  }
  if (typeof token === 'string') return null;
  const signing = {
    keys: signingKeys(zone.keys, bearer.nowMs),
    holdsAddress: zone.settings.tokenHoldsAddress,
    prefix: `/${zone.name}`,
  };
  const isSigned = (changed: UrlToken, change: Partial<typeof signing> = {}) => {
    const verdict = verifyUrlToken(
      { ...address, token: changed },
      { ...signing, ...change },
      { ...bearer, country: '' },
    );
    return !('fault' in verdict) || !['signature', 'ip-required'].includes(verdict.fault);
  };
  if (isSigned(token)) return null;
  const { library, previous } = zone.keys;
  if (isSigned(token, { keys: [library] })) return "it is signed with the library's key instead of the zone's";
  if (previous !== null && isSigned(token, { keys: [previous.key] })) return 'it is signed with the previous key';
  if (isSigned(token, { holdsAddress: !signing.holdsAddress })) {
    return signing.holdsAddress
      ? "it is signed without the viewer's address"
      : "it is signed with the viewer's address";
  }
  // Treats all parameters as one, in the order sent, so that nothing is sorted.
  if (isSigned({ ...token, params: [token.params.join('&')] })) {
    return 'its parameters are signed in the order of the URL instead of sorted by name';
  }
  const folder = `/${address.path.split('/').find((part) => /^[0-9a-f-]{36}$/i.test(part)) ?? ''}/`;
  if (
    token.tokenPath === null &&
    isSigned({ ...token, tokenPath: folder, params: [`token_path=${folder}`, ...token.params] })
  ) {
    return 'it is signed for a folder, but the URL has no token_path';
  }
  return null;
}
