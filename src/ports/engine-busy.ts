/**
 * Thrown if an engine temporarily accepts no further requests (HTTP 429, 503). `retryAfterSec` is the delay that it
 * requested, in seconds.
 */
export class EngineBusy extends Error {
  override name = 'EngineBusy';
  readonly retryAfterSec: number;

  constructor(engine: string, retryAfterSec: number) {
    super(`${engine} accepts no requests for ${retryAfterSec} s.`);
    this.retryAfterSec = retryAfterSec;
  }
}

const USUAL_SEC = 30;
const MIN_DURATION_SEC = 1;
const MAX_DURATION_SEC = 3600;

/**
 * Parses Retry-After (RFC 9110 section 10.2.3), which is a number of seconds or a date. Returns 30 s without a valid
 * value.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isFinite(seconds)
    ? Math.min(MAX_DURATION_SEC, Math.max(MIN_DURATION_SEC, Math.ceil(seconds)))
    : USUAL_SEC;
}
