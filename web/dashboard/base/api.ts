import { ApiError, type Connection, isTemporary, Millrace, UnreachableError } from '../../../sdk/src/millrace.ts';
import { noteCall } from './calls.ts';
import { type Sentence, saidRefusal, t } from './language.ts';
import { prefix } from './router.ts';

export { ApiError, isTemporary, UnreachableError };

/** The browser adds the session's cookie. The header proves that a page of the dashboard sent the request. */
export const connection: Connection = {
  url: location.origin + prefix,
  key: null,
  headers: { 'X-Millrace-Dashboard': '1' },
};
const millrace = new Millrace(connection);

type OnSignedOut = () => void;
let onSignedOut: OnSignedOut = () => undefined;

/** Sets the function to call when a request finds that the session has ended. */
export function whenSignedOut(call: OnSignedOut): void {
  onSignedOut = call;
}

/**
 * Calls an API operation and records the call, so that the page can show it as code. Returns null for an empty
 * response.
 */
export async function api<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  noteCall({ method, path, body });
  try {
    const answer = await millrace.request(method, path, toBody(body), signal === undefined ? {} : { signal });
    // The conformance tests verify that the response has the published model of the operation.
    return (answer instanceof Response ? await readBytes(answer) : answer) as T;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && path !== '/dashboard/session') onSignedOut();
    throw error;
  }
}

/** Returns the JSON that some operations send as bytes (the bitrates of a stream). Null for an empty body. */
async function readBytes(answer: Response): Promise<unknown> {
  const text = await answer.text();
  return text === '' ? null : JSON.parse(text);
}

function toBody(body: unknown): BodyInit | null {
  if (body === undefined) return null;
  return body instanceof Blob ? body.slice(0, body.size, 'application/octet-stream') : JSON.stringify(body);
}

const REFUSED = 'The input was not accepted.';
const FAILED = 'The service cannot do this at the moment.';
/** Sentences for refusals without a translation, by status (RFC 9110 section 15). */
const GENERAL: Readonly<Record<number, Sentence>> = {
  401: 'You have no permission for this.',
  403: 'You have no permission for this.',
  404: 'This does not exist, or was deleted.',
  408: 'This took too long. Try again.',
  409: 'This conflicts with another change.',
  413: 'The file or text is too large.',
  429: 'Too many requests. Try again in a moment.',
  507: 'The storage of the service is full.',
};

/** Describes an error in a readable sentence, with the request's id if the service responded. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) {
    // The response has no message, or it is a proxy's page.
    const isWordless = error.said === '' || error.said.startsWith('<');
    const words = isWordless
      ? t('The service returned status {0}.', error.status)
      : saidRefusal(error.said, GENERAL[error.status] ?? (error.status < 500 ? REFUSED : FAILED));
    return error.status >= 500 && error.requestId !== null ? t('{0} (request {1})', words, error.requestId) : words;
  }
  // fetch throws a TypeError if it gets no response.
  if (error instanceof UnreachableError || error instanceof TypeError) {
    return t('Cannot reach the service. Check that it is running and try again.');
  }
  return error instanceof Error ? error.message : String(error);
}
