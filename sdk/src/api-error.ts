/**
 * A response that is a refusal or a failure. `said` is the reason in the words of the service, empty if there is none.
 * `requestId` is null if there is none.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;
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
  }
}

/** The service is unreachable, or the connection closed before the response. */
export class UnreachableError extends Error {
  constructor(url: string, cause: unknown) {
    // The message of fetch is only "fetch failed". The reason is its cause.
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    super(`${url} cannot be reached: ${reason instanceof Error ? reason.message : String(reason)}`, { cause });
    this.name = 'UnreachableError';
  }
}

/**
 * Returns whether the same request may succeed later: no connection, too many requests, or a failure of the service.
 */
export function isTemporary(error: unknown): boolean {
  return (
    error instanceof UnreachableError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  );
}

/**
 * Returns the message of a refusal, which is one of the API's models or a JSON string. For anything else, such as a
 * proxy's page, returns the text.
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
