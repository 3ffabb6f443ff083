/** Returns whether If-None-Match contains the ETag (RFC 9110 section 13.1.2, weak comparison). */
export function matchesEtag(header: string, etag: string | null): boolean {
  if (etag === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
