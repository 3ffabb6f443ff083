/** Bytes `start` (inclusive) to `end` (exclusive). */
export type ByteRange = { start: number; end: number };

/**
 * Parses a Range header (RFC 9110 section 14.2) for a body of `sizeBytes`. Returns null, which means the whole body,
 * for a missing or malformed header, several ranges, and other units. A range past the end is unsatisfiable.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | null {
  const match = header === undefined ? null : /^bytes=(\d{0,400})-(\d{0,400})$/i.exec(header.replaceAll(' ', ''));
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? null : suffix(Number(last), sizeBytes);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

function suffix(length: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || sizeBytes === 0) return 'unsatisfiable';
  return { start: Math.max(0, sizeBytes - length), end: sizeBytes };
}
