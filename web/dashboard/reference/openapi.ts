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
type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>;

export type ApiOperation = {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  security?: readonly Readonly<Record<string, unknown>>[];
  parameters?: readonly Parameter[];
  requestBody?: { content?: Content };
  responses?: Readonly<Record<string, { description?: string; content?: Content }>>;
};

export type OpenApi = {
  tags?: readonly { name: string; 'x-displayName'?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  components?: { schemas?: Readonly<Record<string, Schema>> };
};

export type Listed = { id: string; method: string; path: string; operation: ApiOperation; group: string };

const METHODS = ['get', 'post', 'put', 'delete', 'patch', 'head'];

/** Returns every operation of a document, in its order, with its group: the title of its tag. */
export function listOperations({ paths, tags = [] }: OpenApi): Listed[] {
  const titles = new Map(tags.map((tag) => [tag.name, tag['x-displayName'] ?? tag.name]));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({
        id: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        operation,
        group: titles.get(operation.tags?.[0] ?? '') ?? operation.tags?.[0] ?? path,
      })),
  );
}

/** Returns whether only the key of the account may call an operation. */
export function needsAccountKey({ operation: { security = [] } }: Listed): boolean {
  return security.length > 0 && security.every((way) => 'AccountKey' in way);
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
