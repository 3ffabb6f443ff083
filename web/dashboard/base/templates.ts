/** A sentence with places for values, and its translation. */
export type Template = { pattern: RegExp; text: string };

const PLACE = /\{\d\}/;
/** Values hold sentences, which hold values. */
const MOST_DEPTH = 4;

/** Reads a table of sentences with `{0}`, `{1}` … in the places of values, which come in this order. */
export function readTemplates(table: Readonly<Record<string, string>>): Template[] {
  return Object.entries(table).map(([sentence, text]) => {
    const parts = sentence.split(PLACE).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return { pattern: new RegExp(`^${parts.join('(.+?)')}$`, 's'), text };
  });
}

/** The translation of a sentence by the first template that it fits, its values too; what fits none stays as it is. */
export function translateBy(templates: readonly Template[], sentence: string, depth = MOST_DEPTH): string {
  for (const { pattern, text } of depth > 0 ? templates : []) {
    const values = pattern.exec(sentence)?.slice(1);
    if (values === undefined) continue;
    return text.replaceAll(/\{(\d)\}/g, (_, place) => translateBy(templates, values[Number(place)] ?? '', depth - 1));
  }
  return sentence;
}
