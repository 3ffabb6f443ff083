import type { JWTVerifyGetKey } from 'jose';
import type { GuardedFetch } from './outbound/guarded-fetch.ts';
import { remember } from './remember.ts';

/** Returns the function that finds the key of a token among the keys that an issuer publishes at a URL (RFC 7517). */
export type RemoteKeys = (url: string) => Promise<JWTVerifyGetKey>;

/** Time for which keys are used, in ms. */
const CACHED_MS = 10 * 60_000;
/** Minimum time between two requests for the keys of one URL, in ms, however many unknown keys tokens name. */
const COOLDOWN_MS = 30_000;
/** Minimum pause after a failed request, in ms. */
const FAILED_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_URLS = 200;

/**
 * Creates a cache of published keys. All requests for one URL share one download. If the keys cannot be loaded again,
 * the last ones are used for `keepMs`.
 */
export function createRemoteKeys(fetch: GuardedFetch, keepMs = 0): RemoteKeys {
  const known = new Map<string, JWTVerifyGetKey>();
  return async (url) => {
    const found = known.get(url);
    if (found !== undefined) return found;
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const keys = createRemoteJWKSet(new URL(url), {
      cacheMaxAge: CACHED_MS,
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: keepLast(restAfterFailure(fetch), keepMs),
    });
    remember(known, [url, keys], MAX_URLS);
    return keys;
  };
}

/** The package limits only requests after a success. */
function restAfterFailure(fetch: GuardedFetch): GuardedFetch {
  let failed: { error: unknown; untilMs: number } | null = null;
  return async (url, options) => {
    if (failed !== null && failed.untilMs > performance.now()) throw failed.error;
    try {
      const answer = await fetch(url, options);
      if (answer.status !== 200) throw new Error(`Expected status 200 from ${url}, got ${answer.status}.`);
      failed = null;
      return answer;
    } catch (error) {
      failed = { error, untilMs: performance.now() + FAILED_MS };
      throw error;
    }
  };
}

/** Returns the last successful answer instead of a failure, for a limited time after it was received. */
function keepLast(fetch: GuardedFetch, keepMs: number): GuardedFetch {
  let last: { text: string; untilMs: number } | null = null;
  return async (url, options) => {
    try {
      const answer = await fetch(url, options);
      const text = await answer.text();
      if (keepMs > 0 && hasKeys(text)) last = { text, untilMs: performance.now() + keepMs };
      return new Response(text, { status: answer.status, headers: answer.headers });
    } catch (error) {
      if (last === null || last.untilMs < performance.now()) throw error;
      return new Response(last.text, { headers: { 'Content-Type': 'application/json' } });
    }
  };
}

function hasKeys(text: string): boolean {
  try {
    return Array.isArray(Object(JSON.parse(text)).keys);
  } catch {
    // The response is not JSON. The package refuses it.
    return false;
  }
}
