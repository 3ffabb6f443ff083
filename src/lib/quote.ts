const LONGEST = 100;

/** Quotes a caller's text for a message. Escapes quotes and keeps at most 100 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
