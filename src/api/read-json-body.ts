import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { cleanText } from '../lib/clean-text.ts';
import { quote } from '../lib/quote.ts';
import { readBytes } from '../lib/read-bytes.ts';
import { Refused } from '../lib/refused.ts';
import { isTypoOf, type NameRules, suggest } from './name-rules.ts';
import { type UnknownField, unknownFields } from './unknown-fields.ts';

/**
 * Returns the errors in a body that its schema cannot express. Each begins with the name of its field and has no final
 * full stop. The function is called with the fields as sent, of any type.
 */
export type BodyCheck = (sent: Readonly<Record<string, unknown>>) => string[];

/** Presence of a body, see `bodyPresence` of an operation. */
export type BodyPresence = 'required' | 'maybe-missing' | 'optional';

type Wanted = {
  schema: TSchema;
  validator: Validator;
  limitBytes: number;
  check: BodyCheck;
  names: NameRules;
  presence: BodyPresence;
};

/** The part of JSON Schema that our models use. */
type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  patternProperties?: Record<string, Shape>;
};

const MAX_FAULTS = 5;
/** Values of fields with such names are never repeated in messages. */
const SECRET = /key|secret|token|password/i;

/**
 * Reads a JSON body by a model, whatever its content type. Field names match in any case, and numbers may be in quotes.
 * If the body is optional, a missing one, `null` and PHP's `[]` count as an empty object. Throws `Refused` (`invalid`)
 * if the body is not JSON, does not match the model, or has names that the rules of the operation reject. Also throws
 * `Refused` if the body is too large, or takes more than 30 s to arrive.
 */
export async function readJsonBody(message: IncomingMessage, wanted: Wanted) {
  const { schema, validator, limitBytes, check, names, presence } = wanted;
  const bytes = await readBytes(message, { what: 'a JSON body', limitBytes });
  const sent = parse(bytes.toString('utf8').replace(/^\uFEFF/, ''), { schema, presence });
  const unknown = unknownFields(schema, sent, names);
  const value = shaped(schema, sent);
  const further = check({ ...Object(value) }).map((fault) => ({ field: '', words: `The field ${fault}.` }));
  if (validator.Check(value) && further.length === 0 && unknown.length === 0) return value;
  throw misfit(validator, value, [...unknown, ...misspelledRequired(schema, Object(sent)), ...further]);
}

/** Finds fields that were sent under a name close to that of a required field which is missing. */
function misspelledRequired({ properties = {}, required = [] }: Shape, sent: object): UnknownField[] {
  const names = Object.keys(sent);
  const isKnown = (name: string) => Object.keys(properties).some((each) => each.toLowerCase() === name.toLowerCase());
  const missing = required.filter((name) => !names.some((each) => each.toLowerCase() === name.toLowerCase()));
  return missing.flatMap((field) => {
    const typo = names.find((name) => !isKnown(name) && isTypoOf(name.toLowerCase(), field.toLowerCase()));
    return typo === undefined ? [] : [{ field, words: suggest(typo, { name: field, hint: '' }) }];
  });
}

/**
 * Checks the body of an operation that takes none. Throws `Refused` (`invalid`) if it has fields that the rules of the
 * operation reject, because they are meant for the query or for another operation. Ignores everything else.
 */
export async function refuseStrayBody(message: IncomingMessage, names: NameRules, limitBytes: number): Promise<void> {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && Number(length ?? 0) === 0) return;
  const text = (await readBytes(message, { what: 'no body, or one', limitBytes })).toString('utf8');
  const faults = unknownFields({ properties: {} }, parseOrNull(text), names);
  if (faults.length === 0) return;
  const words = faults.map(({ words: fault }) => fault).join(' ');
  throw new Refused(
    'invalid',
    `Expected no body for this operation, got fields: ${words} Nothing was done. Send them where they belong.`,
    {
      field: faults[0]?.field ?? '',
    },
  );
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // Operations without a body ignore any body that contains no field names, such as one that is not JSON.
    return null;
  }
}

function parse(text: string, { schema, presence }: { schema: Shape; presence: BodyPresence }): unknown {
  const value = text.trim() === '' ? undefined : parseJson(text);
  const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty && (presence === 'optional' || (presence === 'maybe-missing' && value === undefined))) return {};
  if (typeof value === 'object' && !isEmpty && !Array.isArray(value)) return value;
  const got = value === undefined ? 'none' : show(value);
  const names = Object.keys(schema.properties ?? {});
  throw new Refused(
    'invalid',
    `Expected a JSON object as the body, with fields such as ${names.slice(0, MAX_FAULTS).join(', ')}, got ${got}. ` +
      'Nothing was done. Send an object.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused(
      'invalid',
      `Expected a JSON body, got something else: ${reason}. Correct the body and send it again.`,
      { cause: error },
    );
  }
}

// Follows the schema, not the value, so that unknown parts are never visited, however deep they are.
function shaped(schema: Shape, value: unknown): unknown {
  if (typeof value === 'string') return isNumeric(schema) && NUMBER.test(value) ? Number(value) : cleanText(value);
  if (Array.isArray(value)) {
    if (schema.items) return value.map((item) => shaped(schema.items ?? {}, item));
    // PHP writes an empty map as a list.
    return value.length === 0 && (schema.properties ?? schema.patternProperties) ? {} : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const values = Object.values(schema.patternProperties ?? {})[0];
  if (values)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), shaped(values, item)]));
  return schema.properties ? shapeFields(schema.properties, schema.required ?? [], value) : {};
}

function shapeFields(properties: Record<string, Shape>, required: readonly string[], value: object): object {
  const sent = new Map(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field]));
  const fields: Record<string, unknown> = {};
  for (const [name, shape] of Object.entries(properties)) {
    const field: unknown = sent.get(name.toLowerCase());
    const isAbsent = field === undefined || (field === null && !required.includes(name) && !allowsNull(shape));
    if (!isAbsent) fields[name] = shaped(shape, field);
  }
  return fields;
}

/** A number in quotes, as some clients send it. */
const NUMBER = /^[+-]?\d{1,20}(\.\d{1,20})?$/;

function isNumeric({ type }: Shape): boolean {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  return (types.includes('integer') || types.includes('number')) && !types.includes('string');
}

function allowsNull({ type }: Shape): boolean {
  return Array.isArray(type) && type.includes('null');
}

function misfit(validator: Validator, value: unknown, further: readonly UnknownField[]): Refused {
  const faults = validator.Errors(value).map((error) => ({ field: fieldOf(error), words: describe(error, value) }));
  const found = [...further, ...faults].slice(0, MAX_FAULTS);
  const words = found.map((fault) => fault.words);
  return new Refused('invalid', `The body is not valid: ${words.join(' ')} Nothing was done. Correct the fields.`, {
    field: found[0]?.field ?? '',
    faults: words,
  });
}

type SchemaError = { keyword: string; instancePath: string; params: object; message: string };

/** Returns a sentence with the name of the field in the API, the expected value and the received value. */
function describe({ keyword, instancePath, params, message }: SchemaError, value: unknown): string {
  const { allowedValues = [] }: { allowedValues?: readonly unknown[] } = params;
  const expected = allowedValues.length === 0 ? message : `must be one of ${allowedValues.map(nameOf).join(', ')}`;
  const path = instancePath.split('/').slice(1);
  if (path.length === 0) return `The body ${expected}.`;
  const found = path.reduce<unknown>((at, name) => Object(at)[name], value);
  const isShown = keyword !== 'required' && !SECRET.test(instancePath);
  return `The field ${path.join('.')} ${expected}${isShown ? `, got ${show(found)}` : ''}.`;
}

/** Names a value in a list of values: `null` and the empty string would not be visible. */
function nameOf(value: unknown): string {
  return value === '' || typeof value !== 'string' ? JSON.stringify(value) : value;
}

function show(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  const json = JSON.stringify(value);
  return typeof value === 'object' && value !== null ? quote(json) : json;
}

/** Returns the name of the field that is invalid or missing; an empty string for the body itself. */
function fieldOf({ instancePath, params }: { instancePath: string; params: object }): string {
  const { requiredProperties: missing = [] }: { requiredProperties?: readonly unknown[] } = params;
  return instancePath.split('/')[1] ?? String(missing[0] ?? '');
}
