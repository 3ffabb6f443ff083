import type { Guid } from '../../lib/guid.ts';
import { signFolder } from './verify-url-token.ts';
import type { ZonePolicy } from './zone-policy.ts';

/** Beyond the length of a video: whoever pauses for an evening goes on. */
const PAUSE_SEC = 6 * 3600;
/** Ends are rounded up to this, so that addresses stay the same for a while and caches of browsers hold. */
const STEP_SEC = 3600;

/**
 * The path token that opens a video's folder in a zone that requires tokens, for its length and 6 h. `address` is the
 * viewer's, which is signed where the zone has it so.
 */
export function signMedia(
  { keys, settings }: Pick<ZonePolicy, 'keys' | 'settings'>,
  { mediaId, durationMs }: { mediaId: Guid; durationMs: number },
  { address, nowMs }: { address: string; nowMs: number },
): string {
  const endSec = nowMs / 1000 + durationMs / 1000 + PAUSE_SEC;
  return signFolder({
    key: keys.current,
    folder: `/${mediaId}/`,
    expiresSec: Math.ceil(endSec / STEP_SEC) * STEP_SEC,
    address: settings.tokenHoldsAddress ? address : null,
  });
}
