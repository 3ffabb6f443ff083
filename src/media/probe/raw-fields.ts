/** A JSON object from ffprobe. Its fields are not trusted. */
export type Raw = Record<string, unknown>;

/** Returns an object of ffprobe's output, or an empty object for anything else. */
export function asRaw(value: unknown): Raw {
  // A non-null object has string keys. Each field is checked where it is read.
  return typeof value === 'object' && value !== null ? (value as Raw) : {};
}

/** Returns a string that has a meaning, or null for other values and placeholders of ffprobe. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'N/A' ? value : null;
}

/** Returns a finite number, which may be given as a string, or null for other values. */
export function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
