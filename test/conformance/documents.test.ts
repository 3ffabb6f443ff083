import { existsSync } from 'node:fs';
import path from 'node:path';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { toOpenApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { operations } from '../../src/api/operations.ts';
import { cliPage } from '../../src/cli/client/manual.ts';
import { openApiText } from '../../src/cli/openapi.ts';
import { errorsPage } from './errors-page.ts';
import { interfacePage } from './interface-page.ts';
import { logsPage } from './logs-page.ts';
import { metricsPage } from './metrics-page.ts';
import { sdkOperations } from './sdk-operations.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');
const document = toOpenApiDocument(operations);

/** Every operation object of the document, with its location. */
const described = Object.entries(document.paths).flatMap(([address, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ address, method, item, operation: Object(operation) })),
);

test.each([
  ['openapi.json', openApiText],
  ['interface.md', interfacePage],
  ['cli.md', cliPage],
  ['errors.md', errorsPage],
  ['metrics.md', metricsPage],
  ['logs.md', logsPage],
  ['../sdk/src/operations.table.ts', sdkOperations],
])('docs/%s is current (npm test -- test/conformance/documents.test.ts -u writes it)', async (file, write) => {
  expect(existsSync(path.join(docs, file))).toBe(true);
  await expect(write()).toMatchFileSnapshot(path.join(docs, file));
});

test('describes every operation under its own name', () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(operations.map(({ name }) => name)));
});

test('every operation has a tag with a place in the order of the reference', () => {
  const known = document.tags.map(({ name }) => name);
  const tags = described.flatMap(({ operation }) => operation.tags ?? ['no tag']);
  expect(tags.filter((tag) => !known.includes(tag))).toEqual([]);
  expect(known.filter((tag) => !tags.includes(tag))).toEqual([]);
});

test('resolves every reference and refers to every component', () => {
  const references = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, to]) => to ?? ''));
  const lost = [...references].filter(
    (to) => to.split('/').reduce((at: object, key) => Object(at)[key], document) == null,
  );
  expect(lost).toEqual([]);
  for (const part of ['schemas', 'responses', 'headers', 'parameters']) {
    const names = Object.keys(document.components[part] ?? {});
    expect(names.filter((name) => !references.has(`components/${part}/${name}`))).toEqual([]);
  }
});

test('the path parameters of each operation are exactly those in its path', () => {
  for (const { address, item, operation } of described) {
    const all: { name: string; in: string }[] = [...(operation.parameters ?? []), ...Object(item.parameters ?? [])];
    const inPath = all.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    const places = all.filter(({ name }) => name).map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(places).size).toBe(places.length);
  }
});

test('describes every parameter with a sentence', () => {
  for (const { item, operation } of described) {
    const all: { $ref?: string; name: string; description?: string }[] = [
      ...(operation.parameters ?? []),
      ...Object(item.parameters ?? []),
    ];
    const plain = all.filter((parameter) => parameter.$ref === undefined);
    const bare = plain.filter(({ description }) => !/^[A-Z`].+\.$/.test(description ?? '')).map(({ name }) => name);
    const missing = `parameters of ${operation.operationId} without a sentence in src/api/openapi/query-texts.ts`;
    expect(bare, missing).toEqual([]);
  }
});

test('describes every field of a request or response body with a sentence', () => {
  const bare = fieldsOf(document).filter(([, { description }]) => !/^[A-Z0-9`].+\.$/.test(description ?? ''));
  expect(bare, 'fields without a sentence in src/api/openapi/field-texts/').toEqual([]);
});

test('every operation declares its success response, its refusals and its permitted callers', () => {
  const { securitySchemes = {} } = document.components;
  for (const { operation } of described) {
    const succeeded = Object.keys(operation.responses).filter((status) => /^[23]/.test(status));
    const answers = Object.values<{ content?: object }>(operation.responses);
    // A reader that has a feed already gets status 304.
    const isFeed = answers.some(({ content = {} }) => 'application/rss+xml' in content);
    const sendsParts = '416' in operation.responses;
    const expected = [operation.operationId, isFeed || sendsParts ? 2 : 1];
    expect([operation.operationId, succeeded.length]).toEqual(expected);
    expect(succeeded.includes('206')).toBe(sendsParts);
    expect(succeeded.includes('304')).toBe(isFeed);
    expect(answers.every((answer) => 'description' in answer || '$ref' in answer)).toBe(true);
    const needed = operation.security.flatMap((way: object) => Object.keys(way));
    expect(needed.filter((scheme: string) => !(scheme in securitySchemes))).toEqual([]);
  }
});

test('gives every operation a summary, a description in sentences and an example call', () => {
  for (const { operation } of described) {
    const { operationId, summary, description, 'x-codeSamples': samples } = operation;
    expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z].{3,}[^.]$/)]);
    expect([operationId, description]).toEqual([operationId, expect.stringMatching(/^[A-Z].{3,}\.$/)]);
    expect(description).not.toBe(`${summary}.`);
    expect(samples).toMatchObject([{ source: expect.stringMatching(/^curl .*http:\/\/127\.0\.0\.1:7700\//) }]);
  }
});

test('examples of bodies and responses match their models', () => {
  for (const { method, path: address, body, answer, answerStatus = 200, name } of operations) {
    const { requestBody, responses } = Object(document.paths[address])[method.toLowerCase()];
    const shown = [
      [body, requestBody],
      [answer, responses[answerStatus]],
    ];
    for (const [model, part] of shown) {
      if (model === null || typeof model === 'string') continue;
      const { example } = part.content['application/json'];
      expect([name, Compile(model).Errors(example)]).toEqual([name, []]);
    }
  }
});

test('every component is a schema that compiles', () => {
  for (const schema of Object.values<TSchema>({ ...document.components.schemas })) {
    expect(() => Compile(schema)).not.toThrow();
  }
});

type Field = { description?: string };

/** Returns the fields of every schema in a part of the document, with their names. */
function fieldsOf(part: object): [string, Field][] {
  const { properties } = part as { properties?: unknown };
  const isSchema = 'type' in part && typeof properties === 'object' && properties !== null;
  const own: [string, Field][] = isSchema ? Object.entries(properties) : [];
  const inner = Object.values(part).filter((value): value is object => typeof value === 'object' && value !== null);
  return [...own, ...inner.flatMap(fieldsOf)];
}
