import fc from 'fast-check';
import type { TObject } from 'typebox';
import type { Real } from './interface-data.ts';
import { plainField, plainValue, type Schema } from './plain-values.ts';
import { PICTURE } from './samples.ts';

/** A hostile or plain request. Its ids are symbols such as `~own~`, which are replaced when it is sent. */
export type FuzzRequest = {
  params: Record<string, string>;
  query: string;
  /** An invalid pair at the start of the query that must be refused. Null for none. */
  misfit: string | null;
  key: 'proper' | 'none' | 'junk';
  headers: Record<string, string>;
  body: string | Uint8Array | null;
};

export const OWN = '~own~';
export const FOREIGN = '~foreign~';

const HUGE_CHARS = 1_000_000;
const DEEP = 20_000;

/** Text that breaks careless code: SQL, JSON, encodings and prototype names. */
const nastyText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '\ufeffx',
    '\u202eabc',
    '%',
    '_',
    '\\',
    "'; --",
    '"',
    '../..',
  ),
  fc.constantFrom(
    'null',
    'undefined',
    'NaN',
    '__proto__',
    'constructor',
    '1e999',
    '-0',
    'true',
    '\u0130\u1e9e',
    '👩‍👩‍👧',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
);
const hugeText = fc.constantFrom('x', 'é', '\0', '\ud800').map((unit) => unit.repeat(HUGE_CHARS / 10));

const nastyNumber = fc.oneof(
  fc.constantFrom(0, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308, 0.5, -0.1),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const anything = fc.oneof(nastyText, nastyNumber, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }));

/** Generates requests to an operation: valid ones, and some with one or several errors. */
export function requestsTo(operation: Real): fc.Arbitrary<FuzzRequest> {
  const misfits = misfitsOf(operation);
  return fc.record({
    params: paramsOf(operation.params),
    query: queryOf(operation.query),
    misfit: misfits.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...misfits), { freq: 2 }),
    key: fc.oneof(
      { weight: 18, arbitrary: fc.constant('proper' as const) },
      { weight: 1, arbitrary: fc.constantFrom('none' as const, 'junk' as const) },
    ),
    headers: headers(),
    body: bodyOf(operation),
  });
}

/**
 * Returns invalid query pairs of an operation: a boolean with an invalid value, and an unknown name if all names are
 * known.
 */
export function misfitsOf({ query, isHosted }: Real): string[] {
  const booleans = Object.entries<Schema>(query.properties).filter(([, { type }]) => type === 'boolean');
  const wrong = booleans.flatMap(([name]) => [`${name}=maybe`, `${name.toUpperCase()}=2`]);
  return isHosted ? wrong : [...wrong, 'zunknown=1', 'zunknown', '__proto__=1', 'page[]=1'];
}

function paramsOf({ properties }: TObject): fc.Arbitrary<Record<string, string>> {
  const entries = Object.entries<Schema>(properties).map(([name, schema]) => [name, paramOf(name, schema)] as const);
  return fc.record(Object.fromEntries(entries));
}

function paramOf(name: string, { type, format }: Schema): fc.Arbitrary<string> {
  const junk =
    name === 'libraryId'
      ? fc.constantFrom(
          '0',
          '-1',
          '1e0',
          '01',
          '999999999999999',
          '9'.repeat(30),
          'abc',
          '%31',
          '1%20',
          '%D9%A1',
          '1.0',
        )
      : fc.oneof(
          fc.constantFrom(
            '%00',
            '%ff',
            '%F0%9F%92%A9',
            '..%2f..',
            'x'.repeat(400),
            'undefined',
            '0',
            '-1',
            '9'.repeat(25),
          ),
          fc.constantFrom(
            `${OWN}%00`,
            `%20${OWN}`,
            `{${OWN}}`,
            '00000000-0000-0000-0000-000000000000',
            "'",
            '%25',
            '*',
          ),
          fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => encodeURIComponent(`x${text}`)),
        );
  const isId = type === 'integer' || format === 'uuid';
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(OWN) },
    { weight: isId ? 1 : 0, arbitrary: fc.constant(FOREIGN) },
    { weight: 2, arbitrary: junk },
  );
}

function queryOf({ properties }: TObject): fc.Arbitrary<string> {
  const known = Object.entries<Schema>(properties).map(([name, schema]) => pairOf(name, schema));
  const unknown = fc.tuple(nastyText, nastyText).map(([name, value]) => `${encode(`z${name}`)}=${encode(value)}`);
  const garbage = fc.constantFrom('&&', '=', '%', '%zz', '%00=%00', '+', '?', ';', 'page[]=1', '__proto__=1', 'page');
  return fc.array(fc.oneof(...known, unknown, garbage), { maxLength: 6 }).map((pairs) => pairs.join('&'));
}

function pairOf(name: string, schema: Schema): fc.Arbitrary<string> {
  const spelling = fc.constantFrom(name, name, name, name.toUpperCase(), name.toLowerCase());
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: plainField(name, schema).map((plain) => (typeof plain === 'string' ? plain : JSON.stringify(plain))),
    },
    { weight: 2, arbitrary: nastyText },
    { weight: 1, arbitrary: nastyNumber.map(String) },
    { weight: 1, arbitrary: fc.constantFrom(OWN, FOREIGN, 'x'.repeat(8_000)) },
  );
  return fc.tuple(spelling, value).map(([spelled, text]) => `${encode(spelled)}=${encode(text)}`);
}

/** Percent-encodes a text. Unpaired surrogates become the bytes that careless clients send. */
function encode(text: string): string {
  return text
    .split('')
    .map((unit, index) => {
      if (text.isWellFormed() || !/[\ud800-\udfff]/.test(unit)) return unit;
      return index % 2 === 0 ? '\ufffd' : '';
    })
    .join('')
    .replaceAll(/[^\w~-]+/g, encodeURIComponent);
}

function headers(): fc.Arbitrary<Record<string, string>> {
  const type = fc.constantFrom(
    'application/json',
    'application/json; charset=utf-16',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'nonsense',
    ';',
    '',
  );
  const more = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { 'transfer-encoding': 'chunked' },
    { 'content-encoding': 'gzip' },
    { accept: 'text/html' },
    { referer: 'not a URL' },
    { range: 'bytes=0-1' },
    { 'x-http-method-override': 'DELETE' },
    { 'if-none-match': '*' },
  );
  return fc.tuple(type, more).map(([contentType, others]) => ({ 'content-type': contentType, ...others }));
}

function bodyOf({ body }: Real): fc.Arbitrary<string | Uint8Array | null> {
  if (body === null) return fc.oneof(fc.constant(null), fc.constantFrom('{}', 'not JSON', '[]'));
  if (body === 'raw') {
    return fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.constantFrom<string | Uint8Array>(
        '',
        '{}',
        'GIF89a',
        PICTURE,
        PICTURE.subarray(0, 40),
        JSON.stringify({ thumbnailUrl: 'file:///etc/passwd' }),
      ),
      fc.constant(null),
    );
  }
  const valid = plainValue({ ...body });
  return fc.oneof(
    { weight: 4, arbitrary: valid.map((value) => JSON.stringify(value)) },
    { weight: 8, arbitrary: mutated({ ...body }, valid).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: notJson },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

const notJson = fc.constantFrom(
  '',
  '{',
  '{"title":',
  '[]',
  'null',
  '1',
  '"text"',
  '\ufeff{}',
  '{}{}',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1},"constructor":{}}',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{"title":"${'x'.repeat(2 ** 20)}"}`,
  ' '.repeat(HUGE_CHARS),
);

/**
 * Generates a valid body with one error: a field of another type, missing, huge, renamed or deeply nested, or an extra
 * field.
 */
function mutated({ properties = {} }: Schema, valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names = Object.keys(properties);
  if (names.length === 0) return anything;
  const name = fc.constantFrom(...names);
  const wrong = fc.oneof({ weight: 8, arbitrary: anything }, { weight: 1, arbitrary: hugeText });
  const change = fc.oneof(
    fc.tuple(name, wrong).map(([field, value]) => (body: object) => ({ ...body, [field]: value })),
    name.map((field) => (body: object) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== field))),
    name.map((field) => (body: object) => renamed(body, field)),
    fc.tuple(nastyText, anything).map(([field, value]) => (body: object) => ({ ...body, [`z${field}`]: value })),
    name.map((field) => (body: object) => ({ ...body, [field]: nested(500) })),
    fc.tuple(name, fc.constantFrom(OWN, FOREIGN)).map(([field, id]) => (body: object) => ({ ...body, [field]: id })),
  );
  return fc.tuple(valid, change).map(([body, apply]) => apply(Object(body)));
}

function renamed(body: object, field: string): object {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key === field ? key.toUpperCase() : key, value]),
  );
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}
