import type { AnswerHeaders } from './outbound.ts';

/** Properties of the file in the first response that distinguish its versions. */
export type Version = { etag: string | null; lastModified: string | null; totalBytes: number | null };

/** A `Content-Range` of a 206 or 416 response (RFC 9110 section 14.4). A null field means `*`. */
export type ContentRange = { start: number | null; end: number | null; totalBytes: number | null };

/** Returns the version of a complete response (200). */
export function versionOf(headers: AnswerHeaders): Version {
  const length = headers['content-length'];
  return {
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
    totalBytes: length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : null,
  };
}

/**
 * Returns the value for `If-Range`: a strong ETag, else the Last-Modified time (RFC 9110 section 13.1.5), else null.
 */
export function ifRangeOf({ etag, lastModified }: Version): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : lastModified;
}

/**
 * Whether parts of this version can be distinguished from parts of another, by a validator or at least by the length.
 */
export function isResumable(version: Version): boolean {
  return ifRangeOf(version) !== null || version.totalBytes !== null;
}

/** Parses a `Content-Range`. Returns null if it is malformed. */
export function parseContentRange(text: string | undefined): ContentRange | null {
  const match = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15}|\*)$/.exec(text ?? '');
  if (match === null) return null;
  const [, start, end, total] = match;
  return {
    start: start === undefined ? null : Number(start),
    end: end === undefined ? null : Number(end),
    totalBytes: total === undefined || total === '*' ? null : Number(total),
  };
}

/** Whether a 206 response continues at `offset` with the same version of the file. */
export function continues(version: Version, offset: number, headers: AnswerHeaders): boolean {
  const range = parseContentRange(headers['content-range']);
  if (range === null || range.start !== offset) return false;
  if (version.totalBytes !== null && range.totalBytes !== null && range.totalBytes !== version.totalBytes) return false;
  // Without a validator, the length is the only evidence, so it is required.
  if (ifRangeOf(version) === null && range.totalBytes === null) return false;
  return version.etag === null || headers.etag === undefined || headers.etag === version.etag;
}
