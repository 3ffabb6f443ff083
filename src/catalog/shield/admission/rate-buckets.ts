import { remember } from '../../../lib/remember.ts';

type Bucket = { tokens: number; atMs: number };

/** Maximum burst of a bucket, and its refill per second. */
export type Rate = { perSec: number; burst: number };

type Taking = { nowMs: number; dry: boolean; amount?: number };

/**
 * Rate limit of one client at an edge, whatever its zones allow: more than a school behind one address needs, less than
 * would starve all others.
 */
export const CLIENT_RATE: Rate = { perSec: 5_000, burst: 20_000 };

const MAX_BUCKETS = 100_000;

/**
 * Token buckets by name. A bucket is evicted when too many others were used since its last use. By then it would be
 * full again, unless a client invents hundreds of thousands of names, each of which has its own limit anyway.
 */
export class RateBuckets {
  readonly #buckets = new Map<string, Bucket>();

  /**
   * Takes `amount` (default 1) and returns 0. If less than one is left, returns the seconds until one is available. A
   * bucket may be overdrawn by an amount that is only known afterwards. `dry` takes nothing.
   */
  take(name: string, { perSec, burst }: Rate, { nowMs, dry, amount = 1 }: Taking): number {
    const most = perSec + burst;
    const bucket = this.#buckets.get(name) ?? { tokens: most, atMs: nowMs };
    const gained = (Math.max(0, nowMs - bucket.atMs) / 1000) * perSec;
    const tokens = Math.min(most, bucket.tokens + gained);
    const isLeft = tokens >= 1;
    if (!dry) remember(this.#buckets, [name, { tokens: isLeft ? tokens - amount : tokens, atMs: nowMs }], MAX_BUCKETS);
    return isLeft ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSec));
  }
}
