import type { Library } from '../catalog/libraries/library.ts';
import { isReferrerAllowed } from '../catalog/libraries/referrer.ts';
import { Refused } from '../lib/refused.ts';

const MAX_QUOTED_CHARS = 200;

/** Throws `Refused` (`unauthenticated`) if the referrer rules of the library do not allow the caller's page. */
export function requireReferrer(
  referrer: string | null,
  { settings: { access } }: Pick<Library, 'settings'>,
  ownHosts: readonly string[],
): void {
  if (isReferrerAllowed(referrer, access, ownHosts)) return;
  const received = referrer === null ? 'no Referer header' : `the Referer "${referrer.slice(0, MAX_QUOTED_CHARS)}"`;
  throw new Refused(
    'unauthenticated',
    `Expected a page that the library's referrer rules allow, got ${received}. Add its host to the allowed referrers.`,
  );
}
