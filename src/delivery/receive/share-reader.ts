import type { Share } from '../../catalog/shares/share.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { FreshCache } from '../cache/fresh-cache.ts';

/** Maximum age of a share, in ms. A deleted share ends within this time. */
const TTL_MS = 2_000;
const ABSENT_TTL_MS = 1_000;
const CACHE_BYTES = 4 * 2 ** 20;
const SHARE_BYTES = 600;
const MAX_LOADS = 100;

/** Reads shares by the token of their link or by id. While the database is down, the last known state applies. */
export class ShareReader<Key extends string = string> {
  readonly #shares: FreshCache<Share>;

  constructor(load: (key: Key) => Promise<Share | null>) {
    this.#shares = new FreshCache({
      layer: 'share',
      ttlMs: TTL_MS,
      absentTtlMs: ABSENT_TTL_MS,
      maxBytes: CACHE_BYTES,
      maxLoads: MAX_LOADS,
      // The methods accept only keys of this type.
      load: (key) => load(key as Key),
      sizeBytes: () => SHARE_BYTES,
      onLoadError: (error) => logEvent('share.unread', { err: error }),
    });
  }

  /** Returns the share if it is fresh, or else null. Never reads the database. */
  peek(key: Key): Share | null {
    return this.#shares.peek(key);
  }

  /** Whether the database is being asked for the share. */
  isLoading(key: Key): boolean {
    return this.#shares.isLoading(key);
  }

  /** Returns the share, or null if there is none. */
  find(key: Key): Promise<Share | null> {
    return this.#shares.get(key);
  }
}
