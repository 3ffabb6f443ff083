/** A JSON object of ffprobe; every field is read with doubt. */
export type Raw = Record<string, unknown>;

/** Reads a value as an object; one without fields for anything else. */
export function asRaw(value: unknown): Raw {
  // An object that is not null has string keys; each field is checked where it is read.
  return typeof value === 'object' && value !== null ? (value as Raw) : {};
}

/** Reads text; null for none, as ffprobe writes it too. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'N/A' ? value : null;
}

/** Reads a number, also from text; null for anything else. */
export function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
