import { ApiError, ArgumentError, UnreachableError } from './api-error.ts';
import { type OperationName, type Operations, operations } from './operations.table.ts';

/** `key` is an AccessKey, or null for calls that need none or use a cookie. `headers` are sent with every request. */
export type Connection = { url: string; key: string | null; headers?: Readonly<Record<string, string>> };

/** Path and query parameters by name, and `body`. */
export type Input<Name extends OperationName> = Operations[Name]['input'];
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** Route of an operation, read at run time. */
type Route = { method: string; path: string; query: readonly string[]; body: string | null; answer: string };

/**
 * Calls an operation. Resolves to the parsed JSON, to a Response with an unread body for bytes and event streams, or to
 * undefined for an empty response. Rejects with `ApiError` or `UnreachableError`.
 */
export async function callOperation<Name extends OperationName>(
  connection: Connection,
  name: Name,
  { signal, ...input }: Input<Name> & { signal?: AbortSignal },
): Promise<Answer<Name>> {
  const route: Route = operations[name];
  const values: Record<string, unknown> = input;
  const headers = headersOf(connection);
  const request: RequestInit = { method: route.method, headers, signal: signal ?? null };
  if (values.body !== undefined && route.body !== null) {
    headers.set('content-type', route.body);
    // The types of `Operations` allow bytes only if the body is not JSON.
    request.body = route.body === 'application/json' ? JSON.stringify(values.body) : (values.body as BodyInit);
  }
  const response = await send(`${baseOf(connection)}${addressOf(route, values)}`, request);
  // The table of routes and the types are generated from one document, so the response has this type.
  return (await readAnswer(route, response)) as Answer<Name>;
}

/** Sends any request. Rejects with `ApiError` for a status of 400 or above. */
export async function send(url: string, request: RequestInit): Promise<Response> {
  const response = await fetch(url, request).catch((error: unknown) => {
    if (request.signal?.aborted === true) throw error;
    throw new UnreachableError(url, error);
  });
  if (response.ok) return response;
  throw new ApiError(`${request.method ?? 'GET'} ${new URL(url).pathname}`, response, await response.text());
}

/** Sends any request with the connection's key. Resolves to the parsed JSON, or to a Response for any other body. */
export async function sendRaw(
  connection: Connection,
  { method, path, body, signal }: { method: string; path: string; body: BodyInit | null; signal?: AbortSignal },
): Promise<unknown> {
  const headers = headersOf(connection);
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  const request = { method, headers, body, signal: signal ?? null };
  const response = await send(`${baseOf(connection)}/${path.replace(/^\/+/, '')}`, request);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return isJson ? await response.json() : response;
}

/** Returns the URL of the service without a trailing slash. */
export function baseOf({ url }: Connection): string {
  return url.replace(/\/+$/, '');
}

function headersOf({ key, headers }: Connection): Headers {
  return new Headers({ ...headers, ...(key !== null && { AccessKey: key }) });
}

function addressOf({ path, query }: Route, values: Record<string, unknown>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // A URL parser would resolve `.` and `..`, so the path would name another operation.
    if (value === undefined || value === null || ['', '.', '..'].includes(String(value)))
      throw new ArgumentError(`Expected ${name} for ${path}.`);
    return encodeURIComponent(String(value));
  });
  const pairs = query.flatMap((name) => {
    const value = values[name];
    return value === undefined || value === null ? [] : [[name, String(value)]];
  });
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

async function readAnswer({ answer }: Route, response: Response): Promise<unknown> {
  if (answer === 'response') return response;
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}
