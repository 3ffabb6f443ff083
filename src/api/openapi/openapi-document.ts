import type { TObject, TSchema } from 'typebox';
import type { AnswerContract, Auth, BodyContract, Contract } from '../define-operation.ts';
import { type Components, createComponentSchemas, type Schema } from './component-schemas.ts';
import { describeAnswers } from './describe-answers.ts';
import { exampleOf, writeCurl } from './examples.ts';
import { rawRoutes, tusSecuritySchemes } from './raw-routes.ts';

/** Version of the interface, not of this program. */
const INTERFACE_VERSION = '1.0.0';

/** The parts of an operation that a document describes. */
export type Described = Contract<TObject, TObject, BodyContract, AnswerContract>;

export type OpenApi = { openapi: string; paths: Record<string, Schema>; components: Record<string, object> } & Schema;

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
        'Libraries of videos and collections. Names of fields in bodies and of query parameters are found in any ' +
        'case. A value that a field cannot have is refused. Operations with x-own refuse unknown names; the others ' +
        'ignore them, except near misses of fields with x-guard. An empty query value is the default.',
    },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
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
  const { name, path, description, auth, params, query, body, isHosted } = operation;
  return {
    operationId: name,
    summary: toSummary(name),
    description,
    ...(!isHosted && { 'x-own': true }),
    tags: [toTag(path)],
    security: SECURITY[auth],
    parameters: [...parametersOf(params, 'path', components), ...parametersOf(query, 'query', components)],
    ...(body !== null && { requestBody: describeBody(operation, body, components) }),
    responses: describeAnswers(operation, components),
    'x-codeSamples': [{ lang: 'Shell', source: writeCurl(operation) }],
  };
}

function parametersOf({ properties }: TObject, place: 'path' | 'query', { refer }: Components): Schema[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { title, ...plain } = refer(schema);
    const description = title === undefined ? {} : { description: `The ${title}.` };
    const example = place === 'path' ? { example: exampleOf(schema, name) } : {};
    return { name, in: place, required: place === 'path', ...description, schema: plain, ...example };
  });
}

function describeBody(
  { bodyLimitBytes, bodyPresence }: Described,
  body: TSchema | 'raw',
  { refer }: Components,
): Schema {
  if (body === 'raw') return { description: 'Raw bytes, whatever type they claim.', content: { '*/*': {} } };
  const limit = `At most ${bodyLimitBytes ?? 2 ** 20} bytes; read as JSON whatever type it claims.`;
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
    description: 'A key of the library in the path. Keys that only read open nothing but GET.',
  },
  AccountKey: {
    type: 'apiKey',
    in: 'header',
    name: 'AccessKey',
    description: 'The key of the account, which opens every library and the second address.',
  },
  ...tusSecuritySchemes,
};

const HEADERS: Record<string, Schema> = {
  RequestId: {
    description: 'Names this request in the log of the service.',
    schema: { type: 'string', format: 'uuid' },
  },
  RetryAfter: { description: 'Seconds after which to ask again.', schema: { type: 'integer' } },
  TusResumable: { description: 'The version of tus that is spoken.', schema: { const: '1.0.0' } },
  UploadOffset: { description: 'How many bytes have arrived.', schema: { type: 'integer' } },
};

const PARAMETERS: Record<string, Schema> = {
  TusResumable: { name: 'Tus-Resumable', in: 'header', required: true, schema: { const: '1.0.0' } },
};
