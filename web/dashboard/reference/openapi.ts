/** The part of an OpenAPI 3.1 document that the reference shows. */
export type Schema = {
  $ref?: string;
  title?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
};

type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };
type Content = Readonly<Record<string, { schema?: Schema }>>;

export type ApiOperation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { content?: Content };
  responses?: Readonly<Record<string, { description?: string; content?: Content }>>;
};

export type OpenApi = {
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  components?: { schemas?: Readonly<Record<string, Schema>> };
};

export type Listed = { id: string; method: string; path: string; operation: ApiOperation; group: string };

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'head'];

/** Returns every operation of a document with its group: the subject of its path. */
export function listOperations({ paths }: OpenApi): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        id: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        operation,
        group: operation.tags?.[0] ?? groupOf(path),
      })),
  );
}

function groupOf(path: string): string {
  const words = path.split('/').filter((word) => word !== '' && !word.startsWith('{'));
  return (words[0] === 'library' ? (words[1] ?? 'library') : (words[0] ?? 'other')).toLowerCase();
}

/** Returns the schema that a reference names, or the schema itself. */
export function resolve(schema: Schema | undefined, document: OpenApi): Schema {
  if (schema?.$ref === undefined) return schema ?? {};
  return document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

export function typeName(schema: Schema | undefined): string {
  if (schema === undefined) return '';
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.items !== undefined) return `${typeName(schema.items)}[]`;
  const type = typeof schema.type === 'string' ? schema.type : (schema.type?.join(' | ') ?? schema.title ?? 'any');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}
