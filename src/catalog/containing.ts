/** Returns a LIKE pattern that matches the text anywhere in a value. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
