import { type TObject, Type } from 'typebox';
import { cleanText } from '../lib/clean-text.ts';
import { type Guid, readGuid } from '../lib/guid.ts';
import { quote } from '../lib/quote.ts';
import { readTime } from '../lib/read-time.ts';
import { Refused } from '../lib/refused.ts';
import { guardOf, KNOWN_WORDS } from './models/fields.ts';
import type { NameRules } from './name-rules.ts';

const INT32 = 2 ** 31;

/** The kinds of query parameters. An empty value counts as the default. */
export const queryText = (value = '') => Type.String({ default: value });
/** The order of a list. As in the hosted API, an unknown text means the default. Strict requests need a known word. */
export const queryOrder = (value: string, known: readonly string[]) =>
  Type.String({ default: value, [KNOWN_WORDS]: known });
export const queryInt32 = (value: number, minimum = -INT32, maximum = INT32 - 1) =>
  Type.Integer({ default: value, minimum, maximum });
export const queryInt64 = (value: number) => Type.Integer({ default: value, minimum: 0 });
export const queryFlag = (value: boolean) => Type.Boolean({ default: value });
/** One of the given words, in any case. With an empty default, the parameter may be absent. */
export const queryWord = <const W extends string, const D extends W | ''>(value: D, words: readonly W[]) =>
  Type.Unsafe<W | D>({ type: 'string', enum: [...words], default: value });
/** An id, with or without hyphens; empty for none. */
export const queryGuid = () => Type.Unsafe<Guid | ''>({ type: 'string', format: 'uuid', default: '' });
export const maybe = {
  text: () => Type.Optional(Type.String()),
  int32: (minimum = -INT32, maximum = INT32 - 1) => Type.Optional(Type.Integer({ minimum, maximum })),
  flag: () => Type.Optional(Type.Boolean()),
  /** A point in time. The parsed value always has milliseconds and `Z`. */
  dateTime: () => Type.Optional(Type.String({ format: 'date-time' })),
};

export const PAGING = { page: queryInt32(1, 1), itemsPerPage: queryInt32(100, 1, 1000) };

type QuerySchema = {
  type?: unknown;
  format?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  [KNOWN_WORDS]?: readonly string[];
};

/**
 * Rules for reading the query of an operation. `fallsBack`: the operation documents no refusal, so invalid numbers and
 * words (paging and order) are replaced by their defaults or the nearest bounds. `isHosted`: a number that is too large
 * becomes the maximum. `isStrict`: texts with known words are one of them.
 */
export type QueryRules = { names: NameRules; isHosted: boolean; fallsBack: boolean; isStrict: boolean };

const MAX_FAULTS = 5;
/** Returned for a value that a parameter cannot have. */
const IMPOSSIBLE = Symbol('impossible');

type Fault = { name: string; sentence: string };

/**
 * Reads a query by its schema. Names match in any case, and the first of several values counts. Throws `Refused`
 * (`invalid`) if a parameter has an invalid value, or the rules of the operation reject a name.
 */
export function readQuery(schema: TObject, text: string, rules: QueryRules): Record<string, unknown> {
  const sent = readPairs(text);
  const faults = unknownNames(schema, sent, rules.names);
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<QuerySchema>(schema.properties)) {
    const found = sent.get(name.toLowerCase());
    const value = found === undefined ? parameter.default : readParameter({ parameter, found }, rules);
    if (value === IMPOSSIBLE) faults.push({ name, sentence: describeFault(name, parameter, found?.values ?? []) });
    else if (value !== undefined) read[name] = value;
  }
  if (faults.length === 0) return read;
  const shown = faults.slice(0, MAX_FAULTS).map(({ sentence }) => sentence);
  const message = `${shown.join(' ')} Nothing was done. Correct the query.`;
  throw new Refused('invalid', message, { field: faults[0]?.name ?? '', faults: shown });
}

/** Throws `Refused` (`invalid`) if a period ends before it begins. Ignores values that are not dates. */
export function requireOrder<N extends string>(query: Readonly<Partial<Record<N, string>>>, from: N, to: N): void {
  const [begin, end] = [readTime(query[from] ?? ''), readTime(query[to] ?? '')];
  if (begin === null || end === null || begin <= end) return;
  const sent = `${from} ${quote(query[from] ?? '')} and ${to} ${quote(query[to] ?? '')}`;
  throw new Refused('invalid', `Expected ${from} to be before ${to}, got ${sent}. Correct one of the dates.`, {
    field: from,
  });
}

/** The values that were sent under a name. `name` is the first spelling that occurred. */
type Sent = { name: string; values: string[] };

function readPairs(text: string): Map<string, Sent> {
  const sent = new Map<string, Sent>();
  for (const [name, value] of new URLSearchParams(text)) {
    const key = name.toLowerCase();
    const found = sent.get(key);
    if (found === undefined) sent.set(key, { name, values: [value] });
    else found.values.push(value);
  }
  return sent;
}

function unknownNames({ properties }: TObject, sent: ReadonlyMap<string, Sent>, { judge }: NameRules): Fault[] {
  const names = Object.keys(properties);
  const known = new Set(names.map((name) => name.toLowerCase()));
  const faults: Fault[] = [];
  for (const [key, { name }] of sent) {
    const sentence = known.has(key) || name === '' ? null : judge(name, names);
    if (sentence !== null) faults.push({ name, sentence });
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

/** Parses a parameter that was sent. A guarded parameter (see `Guard`) must be sent once, and must not be empty. */
function readParameter({ parameter, found }: { parameter: QuerySchema; found: Sent }, rules: QueryRules): unknown {
  const [text = '', ...others] = found.values;
  const guard = guardOf(parameter);
  if (guard !== null && others.some((other) => other !== text)) return IMPOSSIBLE;
  if (text !== '') return readValue(parameter, text, { ...rules, isGuarded: guard !== null });
  return guard === 'protects' && parameter.default !== true ? IMPOSSIBLE : parameter.default;
}

function describeFault(name: string, parameter: QuerySchema, values: readonly string[]): string {
  const got = values.every((value) => value === '') ? 'no value' : quote(values.join(', '));
  return `Expected ${name} to be ${expectedOf(parameter)}, got ${got}.`;
}

type ValueRules = QueryRules & { isGuarded: boolean };

function readValue(schema: QuerySchema, text: string, rules: ValueRules): unknown {
  switch (schema.type) {
    case 'integer':
      return readInteger(schema, text.trim(), rules);
    case 'boolean':
      return readFlag(text.trim().toLowerCase());
    default:
      if (schema.format === 'date-time') return readTime(text)?.toISOString() ?? IMPOSSIBLE;
      if (schema.format === 'uuid') return readGuid(text.trim()) ?? IMPOSSIBLE;
      if (schema.enum !== undefined) return readWord(schema, text.trim().toLowerCase(), rules);
      return rules.isStrict && !isKnownWord(schema, text) ? IMPOSSIBLE : cleanText(text);
  }
}

function isKnownWord({ [KNOWN_WORDS]: known }: QuerySchema, text: string): boolean {
  return known === undefined || known.includes(text.trim().toLowerCase());
}

// The API has no numbers above 32 bits (or 53 bits if the schema has no bound).
function readInteger(schema: QuerySchema, text: string, { isHosted, fallsBack, isGuarded }: ValueRules) {
  const { minimum = -INT32, maximum } = schema;
  const value = /^[+-]?\d{1,16}(\.0*)?$/.test(text) ? Number(text) : Number.NaN;
  const widest = maximum === undefined ? Number.MAX_SAFE_INTEGER : INT32 - 1;
  if (!(Math.abs(value) <= widest)) return fallsBack ? schema.default : IMPOSSIBLE;
  const largest = maximum ?? value;
  if (value < minimum) return fallsBack ? minimum : IMPOSSIBLE;
  if (value > largest) return isHosted && !isGuarded ? largest : IMPOSSIBLE;
  return value;
}

// A filter has no default. Without it, a misspelt word would match everything.
function readWord(schema: QuerySchema, text: string, { fallsBack }: ValueRules): unknown {
  const known = schema.enum?.find((word) => word.toLowerCase() === text);
  return known ?? (fallsBack && schema.default !== '' ? schema.default : IMPOSSIBLE);
}

function readFlag(text: string): unknown {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return IMPOSSIBLE;
}

function expectedOf(schema: QuerySchema): string {
  const { type, format, enum: words = schema[KNOWN_WORDS], minimum = -INT32, maximum } = schema;
  if (type === 'boolean') return 'true or false';
  if (words !== undefined) return `one of ${words.join(', ')}`;
  if (format === 'date-time') return 'a date and time such as 2026-11-22T18:00:00Z';
  if (format === 'uuid') return 'a GUID';
  if (type !== 'integer') return 'a text';
  if (minimum === -INT32) return 'a whole number';
  return maximum === undefined || maximum === INT32 - 1
    ? `a whole number from ${minimum}`
    : `a whole number from ${minimum} to ${maximum}`;
}
