import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { TObject } from 'typebox';
import { expect, test } from 'vitest';
import { Refused } from '../lib/refused.ts';
import type { Operation } from './define-operation.ts';
import { guardOf } from './models/fields.ts';
import { LiveStreamModel } from './models/live-stream.ts';
import { PullZoneModel } from './models/pull-zone.ts';
import { ShieldZoneModel } from './models/shield-zone.ts';
import { VideoModel } from './models/video.ts';
import { VideoLibraryModel } from './models/video-library.ts';
import { createNameRules } from './name-rules.ts';
import type { OperationDeps } from './operation-deps.ts';
import { operations } from './operations.ts';

type Real = Operation<OperationDeps>;
type Shape = { type?: string | string[]; properties?: Record<string, Shape>; items?: Shape; format?: string };
/** A field or parameter of an operation: its location, and the names that are allowed there. */
type Field = { operation: Real; path: readonly string[]; isQuery: boolean; shape: Shape; siblings: string[] };

const GUID = '0190a0a0-0000-7000-8000-000000000000';
const RUNS = { numRuns: 25, seed: 1 };

/** Every body field and query parameter of all operations, including nested fields. */
const fields: Field[] = operations.flatMap((operation) => [
  ...fieldsOf(operation, operation.query, true),
  ...(isModel(operation.body) ? fieldsOf(operation, Object(operation.body), false) : []),
]);
const guardedFields = fields.filter(({ shape }) => guardOf(shape) !== null);
const booleans = fields.filter(({ shape }) => [shape.type].flat().includes('boolean'));

function isModel(body: Real['body']): body is Exclude<Real['body'], 'raw' | null> {
  return body !== null && body !== 'raw';
}

function fieldsOf(operation: Real, shape: Shape, isQuery: boolean, before: readonly string[] = []): Field[] {
  const properties = shape.properties ?? shape.items?.properties ?? {};
  const siblings = Object.keys(properties);
  return Object.entries(properties).flatMap(([name, inner]) => {
    const path = [...before, ...(shape.items === undefined ? [] : ['*']), name];
    return [{ operation, path, isQuery, shape: inner, siblings }, ...fieldsOf(operation, inner, isQuery, path)];
  });
}

const titleOf = ({ operation, path, isQuery }: Field): string =>
  `${operation.method} ${operation.path} ${isQuery ? '?' : ''}${path.join('.')}`;

/** Sends a request to an operation without dependencies, so that the operation can only parse it. */
async function send({ method, params, handle }: Real, { query = '', body }: { query?: string; body?: string }) {
  const bytes = Buffer.from(body ?? '');
  const headers = { 'content-length': String(bytes.length) };
  // These are the only properties of a message that body readers use.
  const message = Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), { headers, method });
  const raw = { params: idsOf(params), queryText: query, message: message as unknown as IncomingMessage };
  const { signal } = new AbortController();
  const nothing = {} as OperationDeps;
  return handle({ ...raw, grant: null, address: '192.0.2.1', reachedUrl: 'http://localhost', signal }, nothing).then(
    () => null,
    (error: unknown) => error,
  );
}

function idsOf({ properties }: TObject): Record<string, string> {
  const named = Object.entries<Shape>(properties).map(([name, { type, format }]) => {
    return [name, type === 'integer' ? '1' : format === 'uuid' ? GUID : 'en'];
  });
  return Object.fromEntries(named);
}

/** Sends a value under the name of a field, or of a misspelling of it. */
function sendField({ operation, path, isQuery }: Field, name: string, value: unknown): Promise<unknown> {
  if (isQuery) return send(operation, { query: new URLSearchParams([[name, String(value)]]).toString() });
  const body = path.slice(0, -1).reduceRight<unknown>((inner, part) => (part === '*' ? [inner] : { [part]: inner }), {
    [name]: value,
  });
  return send(operation, { body: JSON.stringify(body) });
}

function expectInvalid(error: unknown, words: string): void {
  expect(error).toBeInstanceOf(Refused);
  expect(error).toMatchObject({ kind: 'invalid', message: expect.stringContaining(words) });
}

/** Returns misspellings of a name by one character: omitted, inserted, replaced, or swapped with the next one. */
function typosOf(name: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: name.length - 1 });
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABZ0189_-. é');
  const at = (index: number, put: string, drop: number) => name.slice(0, index) + put + name.slice(index + drop);
  return fc.oneof(
    place.map((index) => at(index, '', 1)),
    fc.tuple(place, letter).map(([index, put]) => at(index, put, 0)),
    fc.tuple(place, letter).map(([index, put]) => at(index, put, 1)),
    place.map((index) =>
      at(
        index,
        name
          .slice(index, index + 2)
          .split('')
          .toReversed()
          .join(''),
        2,
      ),
    ),
  );
}

const isNoBoolean = (text: string): boolean => !['true', 'false', '1', '0', ''].includes(text.trim().toLowerCase());

test('the tests below cover guarded fields of the hosted API and of additional operations', () => {
  const count = (isHosted: boolean) => guardedFields.filter(({ operation }) => operation.isHosted === isHosted).length;
  expect([count(true) > 50, count(false) > 10, booleans.length > 80]).toEqual([true, true, true]);
});

test.each(guardedFields.map((field) => [titleOf(field), field] as const))(
  '%s: rejects every typo',
  async (_, field) => {
    const name = field.path.at(-1) ?? '';
    const known = new Set(field.siblings.map((sibling) => sibling.toLowerCase()));
    const typos = typosOf(name).filter((typo) => typo !== '' && !known.has(typo.toLowerCase()));
    const property = fc.asyncProperty(typos, async (typo) => {
      expectInvalid(await sendField(field, typo, true), JSON.stringify(typo));
    });
    await fc.assert(property, RUNS);
  },
);

test.each(booleans.map((field) => [titleOf(field), field] as const))(
  '%s: accepts only boolean values',
  async (_, field) => {
    const name = field.path.at(-1) ?? '';
    const words = fc.oneof(
      fc.constantFrom('yes', 'on', 'no', 'tru', 'truee', 'null', '2', '-1', '1.0', 'TRUE!', 't', 'undefined'),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const others = fc.oneof(words, fc.constantFrom(2, -1, [], {}, [true], 0.5));
    const values = field.isQuery ? words.filter(isNoBoolean) : others;
    const property = fc.asyncProperty(values, async (value) => {
      expectInvalid(await sendField(field, name, value), name);
    });
    await fc.assert(property, RUNS);
  },
);

const own = operations.filter(({ isHosted }) => !isHosted);
test.each(own.map((operation) => [operation.name, operation] as const))(
  '%s: rejects unknown names',
  async (_, each) => {
    const known = new Set(
      fields.filter(({ operation }) => operation === each).map(({ path }) => path.at(-1)?.toLowerCase()),
    );
    const names = fc.string({ minLength: 1, maxLength: 12 }).filter((name) => !known.has(name.toLowerCase()));
    const property = fc.asyncProperty(names, async (name) => {
      expectInvalid(await send(each, { query: new URLSearchParams([[name, 'x']]).toString() }), JSON.stringify(name));
      if (each.method === 'GET' || each.body === 'raw') return;
      expectInvalid(await send(each, { body: JSON.stringify({ [name]: 1 }) }), JSON.stringify(name));
    });
    await fc.assert(property, { ...RUNS, numRuns: 10 });
  },
);

const withBody = operations.filter(({ body }) => isModel(body));
test.each(withBody.map((operation) => [operation.name, operation] as const))(
  '%s: requires an object as its body',
  async (_, each) => {
    for (const body of ['5', '"text"', 'true', '[1]', '[{}]']) expectInvalid(await send(each, { body }), 'body');
    if (each.bodyPresence === 'optional') return;
    for (const body of ['null', '[]']) expectInvalid(await send(each, { body }), 'body');
    if (each.bodyPresence === 'maybe-missing') return;
    for (const body of ['', ' ']) expectInvalid(await send(each, { body }), 'body');
  },
);

const hosted = operations.filter(({ isHosted }) => isHosted);
const isFirstLevel = ({ path, isQuery }: Field) => isQuery || path.length === 1 || path[0] === 'shieldZone';
/** Every top-level name that is guarded in an operation of the hosted API. */
const siblings = guardedFields
  .filter((field) => field.operation.isHosted && isFirstLevel(field) && field.path.at(-1) !== 'shieldZone')
  .flatMap(({ path, shape }) => {
    const { 'x-also-called': others = [] }: { 'x-also-called'?: string[] } = Object(shape);
    return [path.at(-1) ?? '', ...others];
  });

/** Returns the names that clients read from the resource of an operation, and may send back. */
function readNames({ path }: Real): Set<string> {
  const models = [
    [/^\/videolibrary/, VideoLibraryModel],
    [/^\/pullzone/, PullZoneModel],
    [/\/videos/, VideoModel],
    [/\/live/, LiveStreamModel],
    [/^\/shield/, ShieldZoneModel],
  ] as const;
  const [, model] = models.find(([place]) => place.test(path)) ?? [];
  return new Set(Object.keys(model?.properties ?? {}).map((name) => name.toLowerCase()));
}

const changing = hosted.filter(({ method }) => method !== 'GET');
test.each(changing.map((operation) => [operation.name, operation] as const))(
  '%s: rejects names that are guarded in other operations',
  async (_, each) => {
    const known = new Set(
      fields.filter(({ operation }) => operation === each).map(({ path }) => path.at(-1)?.toLowerCase()),
    );
    const read = readNames(each);
    const foreign = siblings.filter((name) => !known.has(name.toLowerCase()) && !read.has(name.toLowerCase()));
    expect(foreign.length).toBeGreaterThan(10);
    for (const name of new Set(foreign)) {
      expectInvalid(
        await send(each, { query: new URLSearchParams([[name, 'true']]).toString() }),
        JSON.stringify(name),
      );
      if (each.body === 'raw') continue;
      expectInvalid(await send(each, { body: JSON.stringify({ [name]: true }) }), JSON.stringify(name));
    }
  },
);

test.each(hosted.map((operation) => [operation.name, operation] as const))(
  '%s: ignores unknown names, and the fields that clients read and send back',
  (_, operation) => {
    const { judge } = createNameRules(operation);
    const { properties = {} }: Shape = { ...Object(operation.answer) };
    const known = fields.filter((field) => field.operation === operation).map(({ path }) => path.at(-1) ?? '');
    const sentBack = operation.path.endsWith('}') ? readNames(operation) : [];
    const extra = ['per_page', 'sort_by', 'language', 'zzz', '_', 'AccessKey', 'guid', ...sentBack];
    const refused = [...Object.keys(properties), ...extra]
      .filter((name) => !known.some((each) => each.toLowerCase() === name.toLowerCase()))
      .map((name) => judge(name, known));
    expect(refused.filter((fault) => fault !== null)).toEqual([]);
  },
);
