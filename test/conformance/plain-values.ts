import fc from 'fast-check';

/** Placeholder for the URL of the test's own origin, replaced when a request is sent. */
export const ORIGIN = '~origin~';

/** URLs in requests: one that may be fetched, and others that the service must not connect to. */
const addresses = fc.constantFrom(
  `${ORIGIN}/film.mp4`,
  `${ORIGIN}/film.mp4`,
  ORIGIN,
  'http://127.0.0.1:1/',
  'http://10.0.0.1/x',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:10.0.0.1]/',
  'http://0x7f000001/',
  'http://name.invalid/x',
  'http://user:password@name.invalid/',
  'file:///etc/passwd',
  'http://',
  `http://${'x'.repeat(300)}/`,
);

/** The subset of JSON Schema that the operations use. */
export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  patternProperties?: Record<string, Schema>;
  anyOf?: Schema[];
  title?: string;
};

/** Generates values that fit a field. Fields for URLs get URLs. */
export function plainField(name: string, schema: Schema): fc.Arbitrary<unknown> {
  return /url$/i.test(name) ? addresses : plainValue(schema);
}

/** Generates values that fit a schema, including its bounds. */
export function plainValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(plainValue));
  const [type] = [schema.type ?? 'any'].flat();
  switch (type) {
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: 60 });
    case 'integer':
      return integerIn(schema);
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(plainValue(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return plainObject(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function integerIn({ minimum: min = -(2 ** 31), maximum: max = 2 ** 31 - 1 }: Schema): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max));
}

function plainObject({ properties, required = [], patternProperties }: Schema): fc.Arbitrary<unknown> {
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return fc.dictionary(fc.string({ maxLength: 20 }), plainValue(values), { maxKeys: 4 });
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, plainField(name, field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}
