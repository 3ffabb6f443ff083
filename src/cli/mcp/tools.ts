import type { TObject, TSchema } from 'typebox';
import type { Operation } from '../../api/define-operation.ts';
import { toOpenApiDocument } from '../../api/openapi/openapi-document.ts';
import type { OperationDeps } from '../../api/operation-deps.ts';
import { operations } from '../../api/operations.ts';
import type { Rights } from '../client/find-rights.ts';

type Schema = Record<string, unknown>;

/** A tool of the Model Context Protocol, made of an operation, and the route that it calls. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, Schema>; required: string[]; additionalProperties: false };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  route: Route;
};

export type Route = { query: readonly string[]; hasBody: boolean };

/** Operations whose purpose is to return a secret, or to give a person access. A model must not read their results. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['createKey', 'resetApiKey', 'resetApiKeyByQuery', 'resetReadOnlyApiKey', 'resetReadOnlyApiKeyByQuery'],
  ...['resetSecurityKey', 'regenerateStreamKey', 'invitePerson', 'invitePersonAgain', 'explainRequest'],
  ...['createSignInProvider', 'updateSignInProvider', 'addCertificate'],
]);
/** Maximum depth to which the models of a body are written out. */
const MAX_DEPTH = 6;

/** Returns the tools for a key, in the order of the operations. `only` limits them to these names, if it has any. */
export function listTools(rights: Rights, only: readonly string[] = []): Tool[] {
  return operations
    .filter(isTool)
    .filter((operation) => isAllowed(operation, rights))
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map(toTool);
}

/** Bodies and responses of tools are JSON or short text. CSV exports have a paged operation with the same content. */
function isTool({ name, path, body, answer }: Operation<OperationDeps>): boolean {
  const isText = body !== 'raw' && answer !== 'bytes' && answer !== 'events' && answer !== 'csv';
  return isText && !LEFT_OUT.has(name) && !/^\/(FairPlay|Widevine)/i.test(path);
}

function isAllowed({ auth, method, keyScope }: Operation<OperationDeps>, { account, write }: Rights): boolean {
  if (auth === 'account-key' && !account) return false;
  return write || (method === 'GET' && keyScope !== 'write');
}

const document = toOpenApiDocument(operations);

function toTool(operation: Operation<OperationDeps>): Tool {
  const { name, method, path, query, body } = operation;
  const described = Object(Object(document.paths[path])[method.toLowerCase()]);
  const parameters: Schema[] = described.parameters ?? [];
  const properties: Record<string, Schema> = {};
  for (const { name: key, schema, description } of parameters) {
    properties[String(key)] = { ...writeOut(schema, 0), ...(description !== undefined && { description }) };
  }
  if (body !== null) {
    const { schema } = Object(described.requestBody).content['application/json'];
    properties.body = { ...writeOut(schema, 0), description: 'Body of the request.' };
  }
  const needed = parameters.filter((each) => each.required === true && each.name !== 'libraryId');
  const isBodyNeeded = body !== null && described.requestBody.required === true;
  return {
    name,
    title: described.summary,
    description: described.description,
    inputSchema: {
      type: 'object',
      properties,
      required: [...needed.map((each) => String(each.name)), ...(isBodyNeeded ? ['body'] : [])],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: method === 'DELETE' || hasGuard(query, 'destroys') || hasGuard(body, 'destroys'),
      idempotentHint: method !== 'POST',
      openWorldHint: false,
    },
    route: { query: Object.keys(query.properties), hasBody: body !== null },
  };
}

/** Replaces references to components by their schemas, because a tool has no components. */
function writeOut(part: unknown, depth: number): Schema {
  if (depth > MAX_DEPTH) return {};
  const { $ref, example: _, ...rest } = Object(part);
  if (typeof $ref === 'string') {
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => Object(at)[key], document);
    return { ...writeOut(found, depth + 1), ...rest };
  }
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, writeOutValue(value, depth)]));
}

function writeOutValue(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((each) => writeOutValue(each, depth));
  return typeof value === 'object' && value !== null ? writeOut(value, depth) : value;
}

function hasGuard(schema: TSchema | TObject | 'raw' | null, guard: string): boolean {
  return JSON.stringify(schema).includes(`"x-guard":"${guard}"`);
}
