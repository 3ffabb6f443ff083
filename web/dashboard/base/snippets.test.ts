import { expect, test } from 'vitest';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { operations } from '../../../sdk/src/operations.table.ts';
import { asCommand, asCurl, asTypeScript } from './snippets.ts';

type Parameter = { name: string; in: string; schema?: { type?: string } };
type Described = { operationId?: string; parameters?: readonly (Parameter | { $ref: string })[] };

test('writes each parameter of a displayed call as the SDK expects it', () => {
  const described: Described[] = Object.values(document.paths).flatMap((path) => Object.values(path));
  const wrong = described.flatMap(({ operationId = '', parameters = [] }) => {
    const route = operations[operationId as keyof typeof operations];
    const numbers = parameters.filter((each): each is Parameter => 'name' in each && each.in !== 'header');
    if (route === undefined || numbers.length === 0) return [];
    const query = new URLSearchParams(route.query.map((name) => [name, '12']));
    const code = asTypeScript({
      method: route.method,
      path: `${route.path.replaceAll(/\{\w+\}/g, '12')}?${query}`,
      body: undefined,
    });
    const literals = numbers.map(({ name, schema }) => `${name}: ${schema?.type === 'integer' ? '12' : '"12"'}`);
    return literals.filter((literal) => !code.includes(literal)).map((literal) => [operationId, literal, code]);
  });
  expect(described.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test('escapes a quotation mark in a URL', () => {
  const call = { method: 'GET', path: "/library/1/videos/it's", body: undefined };
  expect(asCurl(call, 'https://host')).toContain("'https://host/library/1/videos/it'\\''s'");
  expect(asCommand(call)).toBe("millrace api GET '/library/1/videos/it'\\''s'");
  expect(asTypeScript({ ...call, path: "/unknown/it's" })).toBe("await millrace.request('GET', '/unknown/it\\'s');");
});
