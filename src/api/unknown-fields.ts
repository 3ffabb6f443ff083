import { quote } from '../lib/quote.ts';
import { guardOf } from './models/fields.ts';
import type { NameRules } from './name-rules.ts';

const MAX_FAULTS = 5;
/** Maximum number of unknown names that are checked in one body. */
const MAX_UNKNOWN_NAMES = 1_000;

/** An error (`words`), and the top-level field of the body that contains it. */
export type UnknownField = { field: string; words: string };

/** The parts of JSON Schema that contain field names. */
type Shape = { properties?: Record<string, Shape>; items?: Shape };

type Search = { faults: UnknownField[]; names: NameRules; judged: number };

/** Finds fields that a schema does not have, at any depth of the schema, and guarded fields that were sent twice. */
export function unknownFields(schema: Shape, sent: unknown, names: NameRules): UnknownField[] {
  const search = { faults: [], names, judged: 0 };
  if (names.areNeeded) visit({ shape: schema, value: sent, field: '' }, search);
  return search.faults;
}

function isOver({ faults, judged }: Search): boolean {
  return faults.length >= MAX_FAULTS || judged > MAX_UNKNOWN_NAMES;
}

type Place = { shape: Shape; value: unknown; field: string };

function visit({ shape, value, field }: Place, search: Search): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    if (shape.properties !== undefined) visitFields(shape.properties, { value, field }, search);
    return;
  }
  for (const item of value) {
    if (shape.items === undefined || isOver(search)) return;
    visit({ shape: shape.items, value: item, field }, search);
  }
}

function visitFields(
  properties: Record<string, Shape>,
  { value, field }: { value: object; field: string },
  search: Search,
): void {
  const known = new Map(Object.entries(properties).map(([name, shape]) => [name.toLowerCase(), shape]));
  const seen = new Set<string>();
  for (const [name, item] of Object.entries(value)) {
    if (isOver(search)) return;
    const key = name.toLowerCase();
    const shape = known.get(key);
    const place = field || name;
    if (shape === undefined) judge({ name, place, known: Object.keys(properties) }, search);
    else if (seen.has(key) && guardOf(shape) !== null) {
      search.faults.push({ field: place, words: `${quote(name)} was sent twice, in different cases.` });
    } else visit({ shape, value: item, field: place }, search);
    seen.add(key);
  }
}

function judge({ name, place, known }: { name: string; place: string; known: string[] }, search: Search): void {
  search.judged += 1;
  const tooMany = `The body has more than ${MAX_UNKNOWN_NAMES} unknown fields.`;
  const words = search.judged > MAX_UNKNOWN_NAMES ? tooMany : search.names.judge(name, known);
  if (words !== null) search.faults.push({ field: place, words });
}
