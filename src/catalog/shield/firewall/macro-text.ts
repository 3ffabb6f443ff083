/** A parsed text with macros like `%{tx.name}`: fixed parts, and names in lower case. */
export type MacroText = readonly (string | { name: string })[];

export function readMacros(text: string): MacroText {
  const parts: (string | { name: string })[] = [];
  let end = 0;
  for (const found of text.matchAll(/%\{([^}]+)\}/g)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    parts.push({ name: (found[1] ?? '').toLowerCase() });
    end = found.index + found[0].length;
  }
  if (end < text.length || parts.length === 0) parts.push(text.slice(end));
  return parts;
}

/** Replaces each name by its value; a name without a value is empty. */
export function expand(text: MacroText, read: (name: string) => string): string {
  const [only] = text;
  if (text.length === 1 && typeof only === 'string') return only;
  return text.map((part) => (typeof part === 'string' ? part : read(part.name))).join('');
}
