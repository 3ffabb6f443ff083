import type { Guid } from '../../lib/guid.ts';
import { signFile, signFolder } from './verify-url-token.ts';
import type { ZonePolicy } from './zone-policy.ts';

/** Seconds in addition to the length of a video, for viewers who pause it. */
const PAUSE_SEC = 6 * 3600;
/**
 * Expiry times are rounded up to a multiple of this, so that URLs stay the same for a while and browser caches work.
 */
const STEP_SEC = 3600;

/**
 * The viewer's address, which is signed if the zone requires it, and the current time. `endSec` is the latest end of
 * the token, in seconds since 1970.
 */
type Viewer = { address: string; nowMs: number; endSec?: number };

type SigningPolicy = Pick<ZonePolicy, 'keys' | 'settings'>;

/**
 * Returns the path token that opens a video's folder in a zone that requires tokens. It is valid for the length of the
 * video plus 6 h.
 */
export function signMedia(
  { keys, settings }: SigningPolicy,
  { mediaId, durationMs }: { mediaId: Guid; durationMs: number },
  { address, nowMs, endSec = Number.POSITIVE_INFINITY }: Viewer,
): string {
  return signFolder({
    key: keys.current,
    folder: `/${mediaId}/`,
    expiresSec: Math.min(endAfter(nowMs, durationMs), endSec),
    address: settings.tokenHoldsAddress ? address : null,
  });
}

/**
 * Returns the query that opens one file (`/{mediaId}/thumbnail.jpg`) in a zone that requires tokens. It is valid for 6
 * h. The path may have a query with one parameter, see `signFile`.
 */
export function signMediaFile(
  { keys, settings }: SigningPolicy,
  path: string,
  { address, nowMs, endSec = Number.POSITIVE_INFINITY }: Viewer,
): string {
  return signFile({
    key: keys.current,
    path,
    expiresSec: Math.min(endAfter(nowMs, 0), endSec),
    address: settings.tokenHoldsAddress ? address : null,
  });
}

function endAfter(nowMs: number, durationMs: number): number {
  return Math.ceil((nowMs / 1000 + durationMs / 1000 + PAUSE_SEC) / STEP_SEC) * STEP_SEC;
}
