/** Removes characters that PostgreSQL cannot store: drops NUL, and replaces unpaired surrogates with U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Shortens a text to at most `maxChars` UTF-16 code units. Does not cut a surrogate pair in two. */
export function cutText(text: string, maxChars: number): string {
  const cut = text.slice(0, maxChars);
  return text.length > maxChars && /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
