/** True when If-None-Match names the tag (RFC 9110 section 13.1.2, weak comparison): answer 304. */
export function matchesEtag(header: string | undefined, etag: string | null): boolean {
  if (header === undefined || etag === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * False when If-Match names other representations only (RFC 9110 section 13.1.1, strong comparison): answer 412. What
 * has no tag is matched by `*` alone. If-Unmodified-Since is not evaluated: no answer of ours has a Last-Modified, and
 * section 13.1.4 has it ignored then.
 */
export function allowsMatch(header: string | undefined, etag: string | null): boolean {
  if (header === undefined || header.trim() === '*') return true;
  return etag !== null && header.split(',').some((tag) => tag.trim() === etag);
}

/** True when a range may be served: there is no If-Range, or it names the very tag (section 13.1.5). */
export function allowsRange(header: string | undefined, etag: string | null): boolean {
  return header === undefined || header.trim() === etag;
}
