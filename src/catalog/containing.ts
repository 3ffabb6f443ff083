/** Writes a text as a pattern of SQL's LIKE that is found wherever the text stands inside another. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
