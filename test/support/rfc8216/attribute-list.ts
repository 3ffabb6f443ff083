/** Type of an attribute value (RFC 8216 section 4.2). */
export type AttributeForm = 'quoted' | 'integer' | 'decimal' | 'signed-decimal' | 'resolution' | 'enumerated' | 'hex';

const PATTERNS: Record<AttributeForm, RegExp> = {
  quoted: /^"[^"\r\n]*"$/,
  integer: /^\d{1,20}$/,
  decimal: /^\d+(\.\d+)?$/,
  'signed-decimal': /^-?\d+(\.\d+)?$/,
  resolution: /^[1-9]\d*x[1-9]\d*$/,
  enumerated: /^[^"\s,]+$/,
  hex: /^0[xX][0-9A-F]+$/,
};

/** Optional and required attributes of a tag. */
export type AttributeRules = { forms: Record<string, AttributeForm>; required: readonly string[] };

/** Reads an attribute list. Every violation of the grammar or the rules becomes a fault. */
export function readAttributes(
  text: string,
  rules: AttributeRules,
  fault: (message: string) => void,
): Map<string, string> {
  const found = new Map<string, string>();
  const pattern = /([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s][^",]*)(,|$)/y;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) {
      fault(`attribute list is malformed: ${text}`);
      return found;
    }
    const [, name = '', value = '', separator] = match;
    if (separator === ',' && pattern.lastIndex === text.length) fault(`attribute list ends in a comma: ${text}`);
    if (found.has(name)) fault(`attribute ${name} appears twice`);
    const form = rules.forms[name];
    if (form === undefined) fault(`attribute ${name} is not known for this tag`);
    else if (!PATTERNS[form].test(value)) fault(`attribute ${name} is no ${form}: ${value}`);
    found.set(name, value.startsWith('"') ? value.slice(1, -1) : value);
  }
  for (const name of rules.required) if (!found.has(name)) fault(`attribute ${name} is required`);
  return found;
}
