import type { Share } from '../../catalog/shares/share.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { FreshCache } from '../cache/fresh-cache.ts';

/** Maximum age of a share, in ms. A deleted share ends within this time. */
const TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;
const CACHE_BYTES = 4 * 2 ** 20;
const SHARE_BYTES = 600;
const MAX_LOADS = 100;

/** Reads shares by the token of their link. While the database is down, the last known state applies. */
export class ShareReader {
  readonly #shares: FreshCache<Share>;

  constructor(load: (token: string) => Promise<Share | null>) {
    this.#shares = new FreshCache({
      layer: 'share',
      ttlMs: TTL_MS,
      absentTtlMs: ABSENT_TTL_MS,
      maxBytes: CACHE_BYTES,
      maxLoads: MAX_LOADS,
      load,
      sizeBytes: () => SHARE_BYTES,
      onLoadError: (error) => logEvent('share.unread', { err: error }),
    });
  }

  /** Returns the share if it is fresh, or else null. Never reads the database. */
  peek(token: string): Share | null {
    return this.#shares.peek(token);
  }

  /** Whether a database query for the share is running. */
  isLoading(token: string): boolean {
    return this.#shares.isLoading(token);
  }

  /** Returns the share, or null if there is none. */
  find(token: string): Promise<Share | null> {
    return this.#shares.get(token);
  }
}
