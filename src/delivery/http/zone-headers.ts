import type { PullZoneSettings } from '../../catalog/libraries/library-settings.ts';
import type { AdmissionRequest } from '../../catalog/shield/admission/admit.ts';

/** Time for which an upstream cache may serve stale files while the edge is unreachable, in seconds. */
const OFFLINE_SEC = 86_400;

/**
 * Returns whether a zone allows pages of other origins to read a file. Without a list of extensions, the setting
 * applies to all files.
 */
export function allowsOrigins({ policy, address }: Pick<AdmissionRequest, 'policy' | 'address'>): boolean {
  if (policy === null) return true;
  const { allowsOrigins: allows, originExtensions } = policy.zone.settings;
  if (!allows || originExtensions.length === 0) return allows;
  const dot = address.path.lastIndexOf('.');
  return originExtensions.includes(address.path.slice(dot + 1).toLowerCase());
}

/**
 * Adds a directive that lets caches in front of the edge serve stale responses while the edge is unreachable (RFC
 * 5861). Leaves immutable and private responses unchanged. It does not apply to browsers: a page must see a changed
 * playlist immediately.
 */
export function withStale(cacheControl: string, { staleWhileOffline }: PullZoneSettings): string {
  if (!staleWhileOffline || !cacheControl.startsWith('public, max-age=') || cacheControl.includes('immutable')) {
    return cacheControl;
  }
  return `${cacheControl}, stale-if-error=${OFFLINE_SEC}`;
}
