/** A JSON object of ffprobe; every field is read with doubt. */
export type Raw = Record<string, unknown>;

/** An object of an answer; an empty one for anything else. */
export function asRaw(value: unknown): Raw {
  // An object that is not null has string keys; each field is checked where it is read.
  return typeof value === 'object' && value !== null ? (value as Raw) : {};
}

/** A text that says something, else null. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'N/A' ? value : null;
}

/** A finite number, also one that is written as text, else null. */
export function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
