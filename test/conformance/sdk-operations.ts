import { toOpenApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { operations } from '../../src/api/operations.ts';

type Schema = Record<string, unknown>;
type Route = {
  method: string;
  path: string;
  query: string[];
  body: string | null;
  answer: 'json' | 'response' | 'none';
  /** Only operations that need the account key have it. */
  key?: 'account';
};
type Call = { name: string; about: string; route: Route; input: string; answer: string };

/** Resumable uploads are called through `upload` of the SDK. */
const TUS = /^\/tusupload/;

/** Returns the types and the route table of the SDK, generated from the document that describes the API. */
export function sdkOperations(): string {
  const { paths, components } = toOpenApiDocument(operations);
  const calls = Object.entries<Schema>(paths)
    .filter(([path]) => !TUS.test(path))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => readCall(path, method, Object(operation))),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const models = Object.entries(components.schemas ?? {}).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};`,
  );
  return `${[
    '// Generated from docs/openapi.json: npm test -- test/conformance/documents.test.ts -u writes it.',
    ...models,
    `export type Operations = {\n${calls.map(typeLine).join('\n')}\n};`,
    'export type OperationName = keyof Operations;',
    `export const operations = {\n${calls.map(routeLine).join('\n')}\n} as const;`,
  ].join('\n\n')}\n`;
}

function routeLine({ name, route }: Call): string {
  return `  ${name}: ${JSON.stringify(route)},`;
}

function typeLine({ name, about, input, answer }: Call): string {
  return `  /** ${about} */\n  ${name}: { input: ${input}; answer: ${answer} };`;
}

function readCall(path: string, method: string, operation: Schema): Call {
  const { operationId, description, parameters = [], requestBody, responses, security } = Object(operation);
  const named: Schema[] = parameters;
  const [bodyType = null, body = null] = Object.entries<Schema>(requestBody?.content ?? {})[0] ?? [];
  const success = Object.entries<Schema>(responses).find(([status]) => /^[23]/.test(status))?.[1];
  const [answerType = null, answer = null] = Object.entries<Schema>(Object(success?.content))[0] ?? [];
  const isJson = answerType === 'application/json';
  const fields = named.map(({ name, required, schema }) => field(String(name), schema, required === true));
  if (bodyType !== null) {
    const type = bodyType === 'application/json' ? typeOf(body?.schema) : 'BodyInit';
    fields.push(`body${requestBody.required === true && bodyType === 'application/json' ? '' : '?'}: ${type}`);
  }
  const query = named.filter((parameter) => parameter.in === 'query').map(({ name }) => String(name));
  const kind = isJson ? 'json' : answerType === null && !responses['302'] ? 'none' : 'response';
  return {
    name: operationId,
    about: `${description} \`${method.toUpperCase()} ${path}\``,
    route: {
      method: method.toUpperCase(),
      path,
      query,
      body: bodyType === '*/*' ? 'application/octet-stream' : bodyType,
      answer: kind,
      ...(JSON.stringify(security) === '[{"AccountKey":[]}]' && { key: 'account' }),
    },
    input: fields.length === 0 ? 'object' : `{ ${fields.join('; ')} }`,
    answer: isJson ? typeOf(answer?.schema) : kind === 'none' ? 'undefined' : 'Response',
  };
}

function field(name: string, schema: unknown, isRequired: boolean): string {
  const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
  return `${key}${isRequired ? '' : '?'}: ${typeOf(schema)}`;
}

/** Converts a JSON Schema, as far as the document uses it, to a TypeScript type. */
function typeOf(schema: unknown): string {
  const { $ref, type, enum: values, anyOf, items, properties, required = [], additionalProperties } = Object(schema);
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? 'unknown';
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...Object(schema), type: one })).join(' | ');
  if (type === 'array') return `(${typeOf(items)})[]`;
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (type !== 'object') return 'unknown';
  const fields = Object.entries(properties ?? {}).map(([name, of]) => field(name, of, required.includes(name)));
  if (fields.length > 0) return `{ ${fields.join('; ')} }`;
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}
