import type { IncomingHttpHeaders } from 'node:http';
import { matchesEtag } from '../../lib/matches-etag.ts';

/** Validators that conditions are compared with. `modifiedAt` is absent if no date is known. */
export type Validators = { etag: string | null; modifiedAt?: Date };

/** Result of evaluating conditions. */
export type Verdict = 'send' | 'not-modified' | 'changed';

/**
 * Evaluates the conditions of a GET or HEAD in the order of RFC 9110 section 13.2.2. `changed` means 412,
 * `not-modified` means 304. A date condition only applies without an ETag condition, and only if the response has a
 * date (sections 13.1.3 and 13.1.4).
 */
export function judgeConditions(headers: IncomingHttpHeaders, { etag, modifiedAt }: Validators): Verdict {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const since = (header: string | undefined) => isModifiedSince(header, modifiedAt);
  if (match !== undefined ? !allowsMatch(match, etag) : since(headers['if-unmodified-since']) === true)
    return 'changed';
  const isKnown =
    noneMatch !== undefined ? matchesEtag(noneMatch, etag) : since(headers['if-modified-since']) === false;
  return isKnown ? 'not-modified' : 'send';
}

/** Returns whether a request has conditions to evaluate. */
export function hasConditions(headers: IncomingHttpHeaders): boolean {
  return CONDITIONS.some((name) => headers[name] !== undefined);
}

const CONDITIONS = ['if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since'] as const;

/**
 * Returns whether the response was modified after the date in a header. Returns null if the dates cannot be compared,
 * because the header is missing or invalid, or the response has no date.
 */
function isModifiedSince(header: string | undefined, modifiedAt: Date | undefined): boolean | null {
  const sinceMs = header === undefined ? null : readHttpDate(header);
  if (sinceMs === null || modifiedAt === undefined) return null;
  // HTTP dates have whole seconds.
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 > sinceMs;
}

const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Parses the three date formats of RFC 9110 section 5.6.7. Returns ms since 1970, or null for other text. */
function readHttpDate(text: string): number | null {
  const isAscTime = ASCTIME.test(text);
  if (!isAscTime && !IMF_FIXDATE.test(text) && !RFC_850.test(text)) return null;
  const ms = Date.parse(isAscTime ? `${text} GMT` : text);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * Returns false if If-Match contains only other ETags (section 13.1.1, strong comparison). Without an ETag, only `*`
 * matches.
 */
function allowsMatch(header: string, etag: string | null): boolean {
  if (header.trim() === '*') return true;
  return etag !== null && header.split(',').some((tag) => tag.trim() === etag);
}

/**
 * Returns whether a range may be served: If-Range is absent, or is exactly the ETag (section 13.1.5). A date is not a
 * strong validator, so it is never accepted.
 */
export function allowsRange(header: string | undefined, etag: string | null): boolean {
  return header === undefined || header.trim() === etag;
}
