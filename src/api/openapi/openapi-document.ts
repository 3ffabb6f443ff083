import type { TObject, TSchema } from 'typebox';
import type { AnswerContract, Auth, BodyContract, Contract } from '../define-operation.ts';
import { type Components, createComponentSchemas, type Schema } from './component-schemas.ts';
import { describeAnswers } from './describe-answers.ts';
import { exampleOf, writeCurl } from './examples.ts';
import { QUERY_TEXTS } from './query-texts.ts';
import { rawRoutes, tusSecuritySchemes } from './raw-routes.ts';
import { sortPaths, TAGS } from './tags.ts';

/** Version of the API, not of Millrace. */
const INTERFACE_VERSION = '1.0.0';

/** The parts of an operation that the OpenAPI document describes. */
export type Described = Contract<TObject, TObject, BodyContract, AnswerContract>;

export type OpenApi = {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Schema>;
  components: Record<string, object>;
} & Schema;

/** Describes operations, and the routes that are not operations, as an OpenAPI 3.1 document. */
export function toOpenApiDocument(operations: readonly Described[]): OpenApi {
  const components = createComponentSchemas();
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, components),
    };
  }
  Object.assign(paths, rawRoutes(components));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version: INTERFACE_VERSION,
      description:
        'Manages libraries of videos, live streams and their delivery. Names of body fields and query parameters are ' +
        'case-insensitive. Values that a field does not accept are refused. Operations with `x-own` refuse unknown ' +
        'names. All others ignore them, except misspellings of fields with `x-guard`, which are refused. An empty ' +
        'query value counts as the default.',
    },
    servers: [{ url: '/' }],
    tags: TAGS.map(({ name, title }) => ({ name, 'x-displayName': title })),
    paths: sortPaths(paths),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: HEADERS,
      parameters: PARAMETERS,
      responses: components.answers(),
      schemas: components.schemas(),
    },
  };
}

function describeOperation(operation: Described, components: Components): Schema {
  const { name, path, description, auth, params, body, isHosted, summary } = operation;
  return {
    operationId: name,
    summary: summary ?? toSummary(name),
    description,
    ...(!isHosted && { 'x-own': true }),
    tags: [toTag(path)],
    security: SECURITY[auth],
    parameters: [...pathParametersOf(params, components), ...queryParametersOf(operation, components)],
    ...(body !== null && { requestBody: describeBody(operation, body, components) }),
    responses: describeAnswers(operation, components),
    'x-codeSamples': [{ lang: 'Shell', source: writeCurl(operation) }],
  };
}

function pathParametersOf({ properties }: TObject, { refer }: Components): Schema[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { title, description, ...plain } = refer(schema);
    const text = description ?? (title === undefined ? undefined : `Id of the ${title}.`);
    const described = text === undefined ? {} : { description: text };
    return { name, in: 'path', required: true, ...described, schema: plain, example: exampleOf(schema, name) };
  });
}

function queryParametersOf({ name: operation, query }: Described, { refer }: Components): Schema[] {
  return Object.entries(query.properties).map(([name, schema]) => {
    const { title: _, ...plain } = refer(schema);
    const text = QUERY_TEXTS[`${operation}.${name}`] ?? QUERY_TEXTS[name];
    const initial = plain.default === undefined || plain.default === '' ? '' : ` Default ${plain.default}.`;
    const description = text === undefined ? {} : { description: `${text}${initial}` };
    return { name, in: 'query', required: false, ...description, schema: plain };
  });
}

function describeBody(
  { bodyLimitBytes, bodyPresence }: Described,
  body: TSchema | 'raw',
  { refer }: Components,
): Schema {
  if (body === 'raw') return { description: 'Raw bytes. The Content-Type header is ignored.', content: { '*/*': {} } };
  const limit = `At most ${bodyLimitBytes ?? 2 ** 20} bytes of JSON. The Content-Type header is ignored.`;
  const content = { 'application/json': { schema: refer(body), example: exampleOf(body) } };
  return { description: limit, required: bodyPresence !== 'optional', content };
}

function toSummary(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the resource of a path: its first fixed part after the library. */
function toTag(path: string): string {
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  return first === 'library' ? (rest[0] ?? first) : first;
}

const SECURITY: Record<Auth, Schema[]> = {
  'access-key': [{ LibraryKey: [] }, { AccountKey: [] }],
  'account-key': [{ AccountKey: [] }],
  none: [],
};

const SECURITY_SCHEMES: Record<string, Schema> = {
  LibraryKey: {
    type: 'apiKey',
    in: 'header',
    name: 'AccessKey',
    description: 'A key of the library in the path. A read-only key permits only GET.',
  },
  AccountKey: {
    type: 'apiKey',
    in: 'header',
    name: 'AccessKey',
    description: 'The key of the account. It permits every operation on every library.',
  },
  ...tusSecuritySchemes,
};

const HEADERS: Record<string, Schema> = {
  RequestId: {
    description: 'Id of this request in the log of the service.',
    schema: { type: 'string', format: 'uuid' },
  },
  RetryAfter: { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  TusResumable: { description: 'Version of the tus protocol.', schema: { const: '1.0.0' } },
  UploadOffset: { description: 'Number of bytes received so far.', schema: { type: 'integer' } },
};

const PARAMETERS: Record<string, Schema> = {
  TusResumable: {
    name: 'Tus-Resumable',
    in: 'header',
    required: true,
    description: 'Version of the tus protocol.',
    schema: { const: '1.0.0' },
  },
};
