import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { models } from './models/all.ts';
import { operations } from './operations.ts';

const titleOf = (schema: object | string | null): string =>
  typeof schema === 'string' ? schema : (Object(schema).title ?? 'none');

test('operations have unique names and paths with exactly the parameters that they read', () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  for (const { path, params } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(inPath).toEqual(Object.keys(params.properties));
  }
});

test('every model and enumeration has a published name and compiles as a schema', () => {
  for (const [name, schema] of Object.entries<TSchema>(models)) {
    expect(titleOf(schema)).toBe(name);
    expect(() => Compile(schema)).not.toThrow();
  }
});

test('bodies and responses of operations are named models, or lists of them', () => {
  const named = new Set<unknown>(Object.values(models));
  const unnamed = operations.filter(({ body, answer }) =>
    [body, answer].some(
      (model) => model !== null && typeof model !== 'string' && !named.has(Object(model).items ?? model),
    ),
  );
  expect(
    unnamed.map(({ name }) => name),
    'operations with a model that `src/api/models/all.ts` does not list',
  ).toEqual([]);
});
