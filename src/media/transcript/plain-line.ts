/** Maximum lengths of generated text, in characters. */
export const LONGEST = { title: 100, description: 600, chapter: 80, moment: 80 } as const;

/**
 * Returns one line of plain text with at most `longest` characters: no control characters, no HTML, no text direction
 * marks, cut between words if possible.
 */
export function plainLine(text: string, longest: number): string {
  const line = text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[<>]/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > longest / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '')).trimEnd()}…`;
}

/** Capitalises the line's first letter, if its script has capitals. */
export function capitalise(line: string): string {
  const [first = ''] = line;
  return first.toLocaleUpperCase() + line.slice(first.length);
}
