import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { readBytes } from '../lib/read-bytes.ts';
import { Refused } from '../lib/refused.ts';
import { cleanText } from './clean-text.ts';

/**
 * Faults of a body that its model cannot express, a sentence each; called with what fields came, whatever they hold.
 */
export type BodyCheck = (sent: Readonly<Record<string, unknown>>) => string[];

type Wanted = { schema: TSchema; validator: Validator; limitBytes: number; check: BodyCheck };

/** The parts of JSON Schema that our models are made of. */
type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
  patternProperties?: Record<string, Shape>;
};

/**
 * Reads a JSON body by a model, whatever content type it claims. Field names are found in any case, fields
 * that the model does not name are passed over, a number may stand in quotes, an empty body (or `null`, or PHP's `[]`)
 * is an empty object. Refuses what is no JSON or does not fit (`invalid`), what is too large, and what takes over 30 s
 * to arrive.
 */
export async function readJsonBody(message: IncomingMessage, { schema, validator, limitBytes, check }: Wanted) {
  const bytes = await readBytes(message, { what: 'a JSON body', limitBytes });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const value = shaped(schema, parse(text));
  const further = check({ ...Object(value) });
  if (validator.Check(value) && further.length === 0) return value;
  throw misfit(validator, value, further);
}

function parse(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return value === null || (Array.isArray(value) && value.length === 0) ? {} : value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused(
      'invalid',
      `Expected a body of JSON, got something else: ${reason}. Correct it and send it again.`,
      { cause: error },
    );
  }
}

// Follows the schema, not the value: what the model does not name is never looked at, however deep it is.
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

/** A number as JSON writes it, or a whole one with a fraction of zeros, inside quotes as some clients send it. */
const NUMBER = /^[+-]?\d{1,20}(\.\d{1,20})?$/;

function isNumeric({ type }: Shape): boolean {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  return (types.includes('integer') || types.includes('number')) && !types.includes('string');
}

function allowsNull({ type }: Shape): boolean {
  return Array.isArray(type) && type.includes('null');
}

function misfit(validator: Validator, value: unknown, further: readonly string[]): Refused {
  const faults = validator.Errors(value).slice(0, 5);
  const list = faults.map(
    ({ instancePath, message }) => `${instancePath === '' ? 'the body' : instancePath} ${message}`,
  );
  const found = [...list, ...further];
  const message = `The body does not fit: ${found.join('; ')}. Correct it and send it again.`;
  const field = faults[0] === undefined ? '' : fieldOf(faults[0]);
  return new Refused('invalid', message, { field, faults: found.map(toSentence) });
}

function toSentence(fault: string): string {
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`;
}

/** The field of the body that a fault lies in, or that it misses; empty when it is the body itself. */
function fieldOf({ instancePath, params }: { instancePath: string; params: object }): string {
  const { requiredProperties: missing = [] }: { requiredProperties?: readonly unknown[] } = params;
  return instancePath.split('/')[1] ?? String(missing[0] ?? '');
}
