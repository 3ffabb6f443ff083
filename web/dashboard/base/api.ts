import { noteCall } from './calls.ts';
import { prefix } from './router.ts';

/** A refusal of the service in its own words, with the id that finds it in the log. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string;
  readonly body: unknown;

  constructor(status: number, { message, requestId, body }: { message: string; requestId: string; body: unknown }) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.requestId = requestId;
    this.body = body;
  }
}

type OnSignedOut = () => void;
let onSignedOut: OnSignedOut = () => undefined;

/** Sets what happens when a request finds that the session has ended. */
export function whenSignedOut(call: OnSignedOut): void {
  onSignedOut = call;
}

/** Calls an operation; the browser adds the session's cookie, and the header says that a page of ours sent it. */
export async function api<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  noteCall({ method, path, body });
  const isBytes = body instanceof Blob;
  const response = await fetch(prefix + path, {
    method,
    headers: {
      'X-Millrace-Dashboard': '1',
      ...(body !== undefined && { 'Content-Type': isBytes ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body !== undefined && { body: isBytes ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  if (!response.ok) {
    if (response.status === 401 && path !== '/dashboard/session') onSignedOut();
    throw readError(text, response);
  }
  // The shape is the published model of the operation, which the conformance tests hold the service to.
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Refusals come as one of the interface's error models, or as a JSON string. */
function readError(text: string, { status, headers }: Response): ApiError {
  const requestId = headers.get('x-request-id') ?? '';
  const body = readJson(text);
  const { message, Message, detail }: { message?: unknown; Message?: unknown; detail?: unknown } = Object(body);
  const found = [body, message, Message, detail].find((each) => typeof each === 'string' && each !== '');
  const words = typeof found === 'string' ? found : `The service answered with the status ${status}.`;
  return new ApiError(status, { message: words, requestId, body });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A body that is no JSON has no message in it: the status stands for it.
    return null;
  }
}

/** An error as a sentence for people, with the request's id where the service answered. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) {
    const isOurs = error.status >= 500 && error.requestId !== '';
    return isOurs ? `${error.message} (request ${error.requestId})` : error.message;
  }
  if (error instanceof TypeError) return 'The service cannot be reached. Check that it runs and try again.';
  return error instanceof Error ? error.message : String(error);
}
