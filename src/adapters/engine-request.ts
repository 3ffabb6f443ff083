import { text } from 'node:stream/consumers';
import type { Outbound } from '../lib/outbound/outbound.ts';
import { Refused } from '../lib/refused.ts';
import { EngineBusy, readRetryAfter } from '../ports/engine-busy.ts';

/** An engine behind HTTP: what it is called in messages, and the setting that names it. */
export type HttpEngine = { name: string; setting: string; url: string; key: string | null; outbound: Outbound };

type EngineRequest = {
  body: string | Uint8Array;
  contentType: string;
  maxBytes: number;
  /** From the request to the last byte of the answer, and the longest silence. */
  limitMs: number;
};

/**
 * Sends a request to an engine; answers the text of its 200. Throws `EngineBusy` for 429 and 503, `Refused` for what
 * the same request would get again, and other errors for what may pass: an engine that is away, slow, broken, or talks
 * without end.
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
  const message = `${name} answered HTTP ${status}: ${said.slice(0, 200)}`;
  const isFinal = status >= 400 && status < 500 && status !== 408;
  return isFinal ? new Refused('unprocessable', `${message} Check ${setting}.`) : new Error(message);
}

/**
 * The address of an operation of an OpenAI-compatible service; `baseUrl` ends with the version (`…/v1`) or is completed
 * by it.
 */
export function engineUrl(baseUrl: string, operation: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  return `${/\/v\d+$/.test(base) ? base : `${base}/v1`}/${operation}`;
}

/** Parses an engine's answer to an object, empty for what is none. Throws for what is no JSON. */
export function parseAnswer(name: string, said: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(said)) };
  } catch (error) {
    throw new Error(`Expected JSON from ${name}, got something else.`, { cause: error });
  }
}
