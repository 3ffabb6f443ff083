/** Takes out what PostgreSQL cannot hold: NUL characters go, lone halves of surrogate pairs become U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
