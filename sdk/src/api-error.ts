/**
 * Thrown for a response with an error status. `said` is the reason given by the service, or an empty string if there is
 * none. `code` is the name of the error in `docs/errors.md`. `code` and `requestId` are null if the response has none.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;
  readonly code: string | null;
  readonly said: string;
  /** Body of the response: parsed if it is JSON. */
  readonly body: unknown;

  constructor(request: string, response: { status: number; headers: Headers }, body: string) {
    const parsed = parse(body);
    const said = readMessage(parsed);
    super(`${request} failed with status ${response.status}${said === '' ? '' : `: ${said}`}`);
    this.name = 'ApiError';
    this.said = said;
    this.body = parsed;
    this.status = response.status;
    this.requestId = response.headers.get('x-request-id');
    this.code = response.headers.get('x-millrace-error');
  }
}

/** Thrown before a request is sent, if a value is missing in its path or would change it, such as `..`. */
export class ArgumentError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = 'ArgumentError';
  }
}

/** Thrown if the service is unreachable, or if the connection closed before the response. */
export class UnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    // The message of a fetch error is only "fetch failed". Its cause contains the reason.
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    super(`${url} cannot be reached: ${reason instanceof Error ? reason.message : String(reason)}`, { cause });
    this.name = 'UnreachableError';
  }
}

/**
 * Returns whether the same request may succeed later: after a lost connection, too many requests, or a failure of the
 * service.
 */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof UnreachableError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  );
}

/**
 * Statuses of a refusal of an upload for good: not for its key, its time or another request, and not from a proxy that
 * does not know the path. 507 counts because a disk that is still full after all retries stays full.
 */
const FINAL_STATUSES = [400, 402, 403, 413, 422, 507];

/** Returns whether the service refused an upload for good. */
export function isFinal(error: unknown): boolean {
  return error instanceof ApiError && FINAL_STATUSES.includes(error.status);
}

/**
 * Returns the message of an error response, whose body is one of the error models of the API or a JSON string. Returns
 * the text of any other body, such as the page of a proxy.
 */
function readMessage(body: unknown): string {
  if (body === '') return '';
  const { message, Message, detail }: { message?: unknown; Message?: unknown; detail?: unknown } = Object(body);
  const found = [body, message, Message, detail].find((each) => typeof each === 'string' && each !== '');
  return typeof found === 'string' ? found.slice(0, 500) : JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
