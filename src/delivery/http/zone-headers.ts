import type { PullZoneSettings } from '../../catalog/libraries/library-settings.ts';
import type { AdmissionRequest } from '../../catalog/shield/admission/admit.ts';

/** So long a cache before the edge may show what it has while the edge cannot be reached. */
const OFFLINE_SEC = 86_400;

/** Whether a zone lets pages of other origins read a file. Without a list of extensions that is so for all files. */
export function allowsOrigins({ policy, address }: Pick<AdmissionRequest, 'policy' | 'address'>): boolean {
  if (policy === null) return true;
  const { allowsOrigins: allows, originExtensions } = policy.zone.settings;
  if (!allows || originExtensions.length === 0) return allows;
  const dot = address.path.lastIndexOf('.');
  return originExtensions.includes(address.path.slice(dot + 1).toLowerCase());
}

/**
 * What caches before the edge may do while the edge is away (RFC 5861) with an answer that has to be read again. What
 * never changes, and what no shared cache keeps, stays. Browsers are not let show old playlists: a page reads a changed
 * one at once.
 */
export function withStale(cacheControl: string, { staleWhileOffline }: PullZoneSettings): string {
  if (!staleWhileOffline || !cacheControl.startsWith('public, max-age=') || cacheControl.includes('immutable')) {
    return cacheControl;
  }
  return `${cacheControl}, stale-if-error=${OFFLINE_SEC}`;
}
