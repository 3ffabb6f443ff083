import { type TObject, Type } from 'typebox';
import { cleanText } from './clean-text.ts';

const INT32 = 2 ** 31;

/**
 * The kinds of query parameters. A value that is empty or bad counts as its default; a whole number beyond its bounds
 * as the nearest one.
 */
export const queryText = (value = '') => Type.String({ default: value });
export const queryInt32 = (value: number, minimum = -INT32, maximum = INT32 - 1) =>
  Type.Integer({ default: value, minimum, maximum });
export const queryInt64 = (value: number) => Type.Integer({ default: value, minimum: 0 });
export const queryFlag = (value: boolean) => Type.Boolean({ default: value });
export const maybe = {
  text: () => Type.Optional(Type.String()),
  int32: (minimum = -INT32, maximum = INT32 - 1) => Type.Optional(Type.Integer({ minimum, maximum })),
  flag: () => Type.Optional(Type.Boolean()),
  /** A point in time as the caller wrote it; what is no date counts as absent. */
  dateTime: () => Type.Optional(Type.String({ format: 'date-time' })),
};

export const PAGING = { page: queryInt32(1, 1), itemsPerPage: queryInt32(100, 1, 1000) };

type QuerySchema = { type?: unknown; format?: unknown; default?: unknown; minimum?: number; maximum?: number };

/**
 * Reads a query by its schema. Names are found in any case, the first of several counts, unknown ones are passed over.
 */
export function readQuery(schema: TObject, text: string): Record<string, unknown> {
  const sent = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const key = name.toLowerCase();
    if (!sent.has(key)) sent.set(key, value);
  }
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<QuerySchema>(schema.properties)) {
    const value = readValue(parameter, sent.get(name.toLowerCase()) ?? '') ?? parameter.default;
    if (value !== undefined) read[name] = value;
  }
  return read;
}

function readValue(schema: QuerySchema, text: string): unknown {
  if (text === '') return undefined;
  switch (schema.type) {
    case 'integer':
      return readInteger(schema, text.trim());
    case 'boolean':
      return readFlag(text.trim().toLowerCase());
    default:
      if (schema.format === 'date-time' && Number.isNaN(Date.parse(text))) return undefined;
      return cleanText(text);
  }
}

// Beyond 32 bits (or 53 where the schema has no bound of its own) it is no number of the interface at all.
function readInteger({ minimum, maximum }: QuerySchema, text: string): number | undefined {
  const value = /^[+-]?\d{1,16}(\.0*)?$/.test(text) ? Number(text) : Number.NaN;
  const widest = maximum === undefined ? Number.MAX_SAFE_INTEGER : INT32 - 1;
  if (!(Math.abs(value) <= widest)) return undefined;
  return Math.min(Math.max(value, minimum ?? value), maximum ?? value);
}

function readFlag(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  return undefined;
}
