import type { IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import { Refused } from '../lib/refused.ts';
import { cleanText } from './clean-text.ts';

const BODY_LIMIT_MS = 30_000;

type Wanted = { schema: TSchema; validator: Validator; limitBytes: number };

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
 * that the model does not name are passed over, an empty body (or `null`, or PHP's `[]`) is an empty object.
 * Refuses what is no JSON or does not fit (`invalid`), what is too large, and what takes over 30 s to arrive.
 */
export async function readJsonBody(message: IncomingMessage, { schema, validator, limitBytes }: Wanted) {
  const text = (await collect(message, limitBytes)).toString('utf8').replace(/^\uFEFF/, '');
  const value = shaped(schema, parse(text));
  if (validator.Check(value)) return value;
  throw misfit(validator, value);
}

async function collect(message: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(message.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  const timer = setTimeout(
    () => message.destroy(new Refused('timeout', 'The body did not arrive within 30 s.')),
    BODY_LIMIT_MS,
  );
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limitBytes) throw tooLarge(limitBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused('invalid', 'The connection ended before the body was complete. Send it again.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limitBytes: number): Refused {
  return new Refused('too-large', `Expected a JSON body of at most ${limitBytes} bytes, got more. Send less at once.`);
}

function parse(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return value === null || (Array.isArray(value) && value.length === 0) ? {} : value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused('invalid', `Expected a body of JSON, got something else: ${reason}.`, { cause: error });
  }
}

// Follows the schema, not the value: what the model does not name is never looked at, however deep it is.
function shaped(schema: Shape, value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return schema.items ? value.map((item) => shaped(schema.items ?? {}, item)) : value;
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

function allowsNull({ type }: Shape): boolean {
  return Array.isArray(type) && type.includes('null');
}

function misfit(validator: Validator, value: unknown): Refused {
  const faults = validator.Errors(value).slice(0, 5);
  const list = faults.map(
    ({ instancePath, message }) => `${instancePath === '' ? 'the body' : instancePath} ${message}`,
  );
  return new Refused('invalid', `The body does not fit: ${list.join('; ')}. Correct it and send it again.`);
}
