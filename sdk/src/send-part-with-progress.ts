import { ApiError, UnreachableError } from './api-error.ts';
import { send } from './call.ts';

export type PartRequest = {
  headers: Readonly<Record<string, string>>;
  body: Blob;
  signal: AbortSignal | null;
  onSent: (bytes: number) => void;
};

/**
 * Sends a part of an upload. Browsers report upload progress only through XMLHttpRequest, never through fetch, so
 * XMLHttpRequest is used in browsers. A progress bar then also advances while a part of 16 MiB is sent over a slow
 * connection.
 */
export async function sendPartWithProgress(url: string, request: PartRequest): Promise<Response> {
  const { headers, body, signal } = request;
  if (typeof XMLHttpRequest === 'undefined') return send(url, { method: 'PATCH', headers, body, signal });
  signal?.throwIfAborted();
  const sent = new XMLHttpRequest();
  const stop = () => sent.abort();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await exchange(sent, url, request);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  signal?.throwIfAborted();
  if (sent.status === 0) throw new UnreachableError(url, new Error('the connection ended before the response'));
  const answered = { status: sent.status, headers: headersOf(sent) };
  if (sent.status >= 400) throw new ApiError(`PATCH ${new URL(url).pathname}`, answered, sent.responseText);
  return new Response(null, answered);
}

/** Sends the request. Resolves when it has ended, successfully or not. */
function exchange(sent: XMLHttpRequest, url: string, { headers, body, onSent }: PartRequest): Promise<void> {
  return new Promise((resolve) => {
    sent.onloadend = () => resolve();
    sent.upload.onprogress = ({ loaded }) => onSent(loaded);
    sent.open('PATCH', url);
    for (const [name, value] of Object.entries(headers)) sent.setRequestHeader(name, value);
    sent.send(body);
  });
}

function headersOf(sent: XMLHttpRequest): Headers {
  const lines = sent.getAllResponseHeaders().trim().split(/\r\n/);
  const pairs = lines
    .filter((line) => line.includes(':'))
    .map((line): [string, string] => {
      const index = line.indexOf(':');
      return [line.slice(0, index), line.slice(index + 1).trim()];
    });
  return new Headers(pairs);
}
