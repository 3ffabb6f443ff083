/** A sentence with placeholders for values, and its translation. */
export type Template = { pattern: RegExp; text: string };

const PLACE = /\{\d\}/;
/** Maximum nesting of values that contain sentences with values. */
const MAX_DEPTH = 4;

/** Reads a table of sentences with the placeholders `{0}`, `{1}` …, which appear in this order. */
export function readTemplates(table: Readonly<Record<string, string>>): Template[] {
  return Object.entries(table).map(([sentence, text]) => {
    const parts = sentence.split(PLACE).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return { pattern: new RegExp(`^${parts.join('(.+?)')}$`, 's'), text };
  });
}

type Naming = { depth?: number; nameValue?: (value: string) => string };

/** Returns whether a template matches a sentence. */
export function isKnown(templates: readonly Template[], sentence: string): boolean {
  return templates.some(({ pattern }) => pattern.test(sentence));
}

/**
 * Translates a sentence, and its values, with the first matching template. Without a match, `nameValue` translates a
 * value, and a sentence is returned unchanged.
 */
export function translateBy(
  templates: readonly Template[],
  sentence: string,
  { depth = MAX_DEPTH, nameValue = (value) => value }: Naming = {},
): string {
  for (const { pattern, text } of depth > 0 ? templates : []) {
    const values = pattern.exec(sentence)?.slice(1);
    if (values === undefined) continue;
    const naming = { depth: depth - 1, nameValue };
    return text.replaceAll(/\{(\d)\}/g, (_, place) => translateBy(templates, values[Number(place)] ?? '', naming));
  }
  return depth === MAX_DEPTH ? sentence : nameValue(sentence);
}
