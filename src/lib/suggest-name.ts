import { closest, distance } from 'fastest-levenshtein';

/** Maximum changed characters of a name that is most likely misspelt. */
const MAX_TYPOS = 5;

/** Maximum changed characters of a name that is certainly misspelt. Two swapped characters count as two. */
const MAX_CERTAIN_TYPOS = 2;

/** Returns whether a name differs from a known name by one or two characters. */
export function isTypo(name: string, known: readonly string[]): boolean {
  return distance(name, closest(name, known)) <= MAX_CERTAIN_TYPOS;
}

/** Returns a sentence with the known name that is nearest, or an empty text if none is similar. */
export function suggestName(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.min(MAX_TYPOS, name.length / 2) ? ` Did you mean ${nearest}?` : '';
}
