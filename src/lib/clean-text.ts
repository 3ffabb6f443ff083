/** Removes characters that PostgreSQL cannot store: drops NUL, and replaces unpaired surrogates with U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
