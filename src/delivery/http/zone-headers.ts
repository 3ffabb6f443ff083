import type { PullZoneSettings } from '../../catalog/libraries/library-settings.ts';
import type { AdmissionRequest } from '../../catalog/shield/admission/admit.ts';

/** Time for which a cache in front of the edge may serve stale files while the edge is unreachable, in seconds. */
const OFFLINE_SEC = 86_400;

/** Whether a zone lets pages of other origins read a file. Without a list of extensions this applies to all files. */
export function allowsOrigins({ policy, address }: Pick<AdmissionRequest, 'policy' | 'address'>): boolean {
  if (policy === null) return true;
  const { allowsOrigins: allows, originExtensions } = policy.zone.settings;
  if (!allows || originExtensions.length === 0) return allows;
  const dot = address.path.lastIndexOf('.');
  return originExtensions.includes(address.path.slice(dot + 1).toLowerCase());
}

/**
 * Adds what caches in front of the edge may do with a revalidated response while the edge is away (RFC 5861). Immutable
 * and private responses are unchanged. Browsers must not show old playlists: a page reads a changed one at once.
 */
export function withStale(cacheControl: string, { staleWhileOffline }: PullZoneSettings): string {
  if (!staleWhileOffline || !cacheControl.startsWith('public, max-age=') || cacheControl.includes('immutable')) {
    return cacheControl;
  }
  return `${cacheControl}, stale-if-error=${OFFLINE_SEC}`;
}
