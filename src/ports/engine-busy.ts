/**
 * An engine accepts no more work for now (HTTP 429, 503). `retryAfterSec` is the delay that it asked for, in seconds.
 */
export class EngineBusy extends Error {
  override name = 'EngineBusy';
  readonly retryAfterSec: number;

  constructor(engine: string, retryAfterSec: number) {
    super(`${engine} takes no more work for ${retryAfterSec} s.`);
    this.retryAfterSec = retryAfterSec;
  }
}

const USUAL_SEC = 30;
const MIN_DURATION_SEC = 1;
const MAX_DURATION_SEC = 3600;

/** Parses Retry-After (RFC 9110 section 10.2.3): seconds or a date; half a minute without a value. */
export function readRetryAfter(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isFinite(seconds)
    ? Math.min(MAX_DURATION_SEC, Math.max(MIN_DURATION_SEC, Math.ceil(seconds)))
    : USUAL_SEC;
}
