/** An answer that is a refusal or a failure. `requestId` is null where none was given. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;

  constructor(request: string, response: { status: number; headers: Headers }, body: string) {
    super(`${request} was answered ${response.status}: ${readMessage(body)}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
  }
}

/** The service cannot be reached, or the connection ended before the answer. */
export class UnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    // fetch itself says only "fetch failed": the reason is its cause.
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    super(`${url} cannot be reached: ${reason instanceof Error ? reason.message : String(reason)}`, { cause });
    this.name = 'UnreachableError';
  }
}

/** Whether the same request may succeed later: no connection, too many requests, or a failure of the service. */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof UnreachableError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  );
}

function readMessage(body: string): string {
  try {
    const { message, Message } = Object(JSON.parse(body));
    return String(message ?? Message ?? body);
  } catch {
    // Not JSON, such as a proxy's page: the text itself is the best there is.
    return body.slice(0, 500);
  }
}
