/** What a service says no with, in its own words, with the id that finds it in the log. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string;

  constructor(status: number, message: string, requestId: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.requestId = requestId;
  }
}

/** Called when the session is over. */
type OnSignedOut = () => void;
let onSignedOut: OnSignedOut = () => undefined;

export function whenSignedOut(call: OnSignedOut): void {
  onSignedOut = call;
}

/** Calls an operation; the browser adds the session's cookie, and the header says that a page of ours sent it. */
export async function api<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      'X-Millrace-Dashboard': '1',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  const text = await response.text();
  if (!response.ok) {
    if (response.status === 401 && path !== '/dashboard/session') onSignedOut();
    throw new ApiError(response.status, readMessage(text, response.status), response.headers.get('x-request-id') ?? '');
  }
  // The shape is the published model of the operation, which the conformance tests hold the service to.
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Refusals come as one of the interface's error models, or as a JSON string. */
function readMessage(text: string, status: number): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'string') return body;
    const { message, Message }: { message?: unknown; Message?: unknown } = Object(body);
    const found = message ?? Message;
    if (typeof found === 'string' && found !== '') return found;
  } catch {
    // What is no JSON has no words for us: the status must do.
  }
  return `The service answered ${status}.`;
}

/** An error in a sentence, for people. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return 'The service cannot be reached. Check that it runs and try again.';
  return error instanceof Error ? error.message : String(error);
}
