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
  const bytes = await collectBody(message, limitBytes);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const value = shaped(schema, parse(text));
  if (validator.Check(value)) return value;
  throw misfit(validator, value);
}

/**
 * Reads a whole body of bytes. Refuses one over the limit (`too-large`), one that is cut short (`invalid`), and one
 * that takes over 30 s.
 */
// Listeners rather than a loop: leaving a loop early would cut the connection before the refusal is sent.
export function collectBody(message: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const timer = setTimeout(() => reject(tooSlow()), BODY_LIMIT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else reject(tooLarge(limitBytes));
  });
  message.once('end', () => resolve(Buffer.concat(chunks)));
  message.once('error', (cause) => reject(cutShort(cause)));
  return promise.finally(() => {
    clearTimeout(timer);
    message.removeAllListeners('data');
  });
}

function tooSlow(): Refused {
  return new Refused('timeout', `Expected the whole body within ${BODY_LIMIT_MS / 1000} s. Send it again, faster.`);
}

function cutShort(cause: Error): Refused {
  return new Refused('invalid', 'The connection ended before the body was complete. Send it again.', { cause });
}

function tooLarge(limitBytes: number): Refused {
  return new Refused('too-large', `Expected a body of at most ${limitBytes} bytes, got more. Send less at once.`);
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
