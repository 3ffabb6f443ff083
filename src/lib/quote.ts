const LONGEST = 100;

/** What a caller sent, as words for a person show it: between quotes, its own escaped, and at most 100 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
