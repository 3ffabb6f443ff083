import type { Library } from '../catalog/libraries/library.ts';
import { isReferrerAllowed } from '../catalog/libraries/referrer.ts';
import { Refused } from '../lib/refused.ts';

const MAX_QUOTED = 200;

/**
 * Admits callers from pages that the library allows. Throws `Refused` (`unauthenticated`) for all others with a reason.
 */
export function requireReferrer(
  referrer: string | null,
  { settings: { access } }: Pick<Library, 'settings'>,
  ownHosts: readonly string[],
): void {
  if (isReferrerAllowed(referrer, access, ownHosts)) return;
  const came = referrer === null ? 'no Referer header' : `the Referer "${referrer.slice(0, MAX_QUOTED)}"`;
  throw new Refused(
    'unauthenticated',
    `Expected a page that the library's referrer rules allow, got ${came}. Add its host to the allowed referrers.`,
  );
}
