import { text } from 'node:stream/consumers';
import type { Outbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import { EngineBusy, readRetryAfter } from '../ports/engine-busy.ts';

/** An engine with an HTTP API. `name` is used in messages, and `setting` is the setting that configures the engine. */
export type HttpEngine = { name: string; setting: string; url: string; key: string | null; outbound: Outbound };

type EngineRequest = {
  body: string | Uint8Array;
  contentType: string;
  maxBytes: number;
  /** Time limit from the request to the last byte of the response, and for silence on the connection, in ms. */
  limitMs: number;
};

/**
 * Sends a request to an engine. Returns the text of a 200 response. Throws `EngineBusy` for 429 and 503, `Refused` for
 * failures that a retry would repeat, and other errors for failures that may be temporary: the engine is unreachable,
 * slow or faulty, or its response is too long.
 */
export async function postToEngine(engine: HttpEngine, request: EngineRequest, signal: AbortSignal): Promise<string> {
  const { body, contentType, maxBytes, limitMs } = request;
  const authorization = engine.key === null ? {} : { authorization: `Bearer ${engine.key}` };
  const headers = { 'content-type': contentType, ...authorization };
  const limits = { maxBytes, timeoutMs: limitMs, idleTimeoutMs: limitMs };
  try {
    const answer = await engine.outbound.request(engine.url, { method: 'POST', headers, body, ...limits }, signal);
    const said = await text(answer.body);
    if (answer.status === 200) return said;
    throw failure(engine, { status: answer.status, retryAfter: answer.headers['retry-after'], said });
  } catch (error) {
    const mayPass = error instanceof Refused && ['unavailable', 'timeout', 'too-large'].includes(error.kind);
    throw mayPass ? new Error(`${engine.name} failed: ${error.message}`, { cause: error }) : error;
  }
}

type Failure = { status: number; retryAfter: string | undefined; said: string };

function failure({ name, setting }: HttpEngine, { status, retryAfter, said }: Failure): Error {
  if (status === 429 || status === 503) return new EngineBusy(name, readRetryAfter(retryAfter, Date.now()));
  const message = `${name} responded with HTTP ${status}: ${said.slice(0, 200)}`;
  const isFinal = status >= 400 && status < 500 && status !== 408;
  return isFinal ? new Refused('unprocessable', `${message} Check ${setting}.`) : new Error(message);
}

/**
 * Returns the URL of an operation of an OpenAI-compatible service. The version (`/v1`) is appended to `baseUrl` if it
 * does not end with a version.
 */
export function engineUrl(baseUrl: string, operation: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return `${/\/v\d+$/.test(base) ? base : `${base}/v1`}/${operation}`;
}

/** Parses an engine's response. Returns an empty object if it is JSON but not an object. Throws if it is not JSON. */
export function parseAnswer(name: string, said: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(said)) };
  } catch (error) {
    throw new Error(`Expected JSON from ${name}, got something else.`, { cause: error });
  }
}
