import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import { leaveSignal } from '../../lib/leave-signal.ts';
import { readRange } from '../../lib/read-range.ts';
import { Refused } from '../../lib/refused.ts';
import type { Part, Slice } from '../objects/object-part.ts';
import type { ObjectSender, Receiver } from '../objects/object-sender.ts';
import { type Answer, CACHE_NOTHING, CACHE_SHORTLY, type Described, type Problem, toProblem } from './answer.ts';
import { allowsRange, judgeConditions } from './conditions.ts';
import { paced, paceOf } from './pace.ts';
import { allowsOrigins } from './zone-headers.ts';

type Made = Extract<Answer, { kind: 'made' }>;
/** A response with a body. Created bytes are lent; for a HEAD request, they are only measured. */
type Sendable = Exclude<Answer, { kind: 'problem' | 'made' }> | ({ kind: 'lent'; bytes: Buffer } & Described);
type Content = Sendable | (Made & { sizeBytes: number });

/**
 * Pages of any origin may read the responses and measure their timing. Tokens and referrers decide who may send
 * requests.
 */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Timing-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Content-Length, Content-Range, ETag, Accept-Ranges, Date, Retry-After, X-Millrace-Rule, X-Request-Id',
};

/** Header with the name of the rule that refused a request. */
const RULE_HEADER = 'X-Millrace-Rule';

/**
 * `admitted` proves that a response may be sent. `encrypt` counts one more encrypted response of this client and
 * returns null if there are too many.
 */
type Sending = {
  admitted: Admitted;
  answer: Answer;
  objects: ObjectSender;
  lease: Receiver['lease'];
  encrypt(): (() => void) | null;
};

/**
 * Sends a response and applies conditions, ranges, HEAD and CORS. Resolves when the last byte is written. Releases lent
 * bytes in any case.
 */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { admitted, answer, objects, lease, encrypt }: Sending,
): Promise<void> {
  if (response.destroyed) return;
  if (answer.kind === 'problem') {
    const isKept = answer.problem.status === 404 && admitted.request.policy?.zone.settings.cachesErrors === true;
    const problem = isKept ? { ...answer.problem, cacheControl: CACHE_SHORTLY } : answer.problem;
    sendProblem(request, response, problem, answer.retryAfterSec);
    return;
  }
  const verdict = (answer.status ?? 200) === 200 ? judgeConditions(request.headers, answer) : 'send';
  if (verdict === 'changed') {
    sendProblem(request, response, CHANGED);
    return;
  }
  if (verdict === 'not-modified') {
    response.writeHead(304, headersOf(answer, admitted)).end();
    return;
  }
  if (answer.kind !== 'made') {
    await sendContent(request, response, { admitted, answer, objects, lease });
  } else if (request.method === 'HEAD') {
    const measured = { ...answer, sizeBytes: await answer.measure() };
    await sendContent(request, response, { admitted, answer: measured, objects, lease });
  } else {
    await sendLent(request, response, { admitted, answer, objects, lease, encrypt });
  }
}

async function sendLent(
  request: IncomingMessage,
  response: ServerResponse,
  { admitted, answer, objects, lease, encrypt }: Sending & { answer: Made },
): Promise<void> {
  const give = encrypt();
  if (give === null)
    throw new Refused('unavailable', 'Too many responses to your address are being encrypted. Try again.');
  const { bytes, release } = await answer.lend().catch((error: unknown) => {
    give();
    throw error;
  });
  try {
    const lent = { ...answer, kind: 'lent', bytes } as const;
    if (!response.destroyed) await sendContent(request, response, { admitted, answer: lent, objects, lease });
  } finally {
    release();
    give();
  }
}

async function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  { admitted, answer, objects, lease }: Omit<Sending, 'answer' | 'encrypt'> & { answer: Content },
): Promise<void> {
  const headers = headersOf(answer, admitted);
  const sizeBytes = contentBytes(answer);
  const wanted = allowsRange(headerOf(request, 'if-range'), answer.etag) ? request.headers.range : undefined;
  const range = (answer.status ?? 200) !== 200 ? null : readRange(wanted, sizeBytes);
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...CORS, 'Content-Range': `bytes */${sizeBytes}`, 'Content-Length': 0 }).end();
    return;
  }
  const slice = range ?? { start: 0, end: sizeBytes };
  if (range !== null) headers['Content-Range'] = `bytes ${slice.start}-${slice.end - 1}/${sizeBytes}`;
  Object.assign(headers, headersOfBody(answer, slice.end - slice.start));
  const status = range === null ? (answer.status ?? 200) : 206;
  if (request.method === 'HEAD' || answer.kind === 'made') response.writeHead(status, headers).end();
  else
    await sendBody({ response, lease }, { admitted, answer, slice, objects }, () =>
      response.writeHead(status, headers),
    );
}

function headersOf(answer: Described, { request }: Pick<Admitted, 'request'>): OutgoingHttpHeaders {
  const headers = openHeadersOf(answer);
  if (!allowsOrigins(request)) delete headers['Access-Control-Allow-Origin'];
  return headers;
}

function openHeadersOf(answer: Described): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...CORS, 'Cache-Control': answer.cacheControl, ...answer.headers };
  if (answer.hit !== undefined) headers[RULE_HEADER] = answer.hit.rule.id;
  if (answer.modifiedAt !== undefined) headers['Last-Modified'] = answer.modifiedAt.toUTCString();
  return answer.etag === null ? headers : { ...headers, ETag: answer.etag };
}

function headersOfBody({ contentType }: Described, sizeBytes: number): OutgoingHttpHeaders {
  return {
    'Accept-Ranges': 'bytes',
    'Content-Type': contentType,
    'Content-Length': sizeBytes,
    'X-Content-Type-Options': 'nosniff',
  };
}

/** Returns all headers of the response with a whole stored object that pages of any origin may read. */
export function headersOfWhole(answer: Extract<Answer, { kind: 'object' }>): OutgoingHttpHeaders {
  return { ...openHeadersOf(answer), ...headersOfBody(answer, answer.window.sizeBytes) };
}

function contentBytes(answer: Content): number {
  switch (answer.kind) {
    case 'bytes':
    case 'lent':
      return answer.bytes.length;
    case 'object':
      return answer.window.sizeBytes;
    case 'parts':
    case 'made':
      return answer.sizeBytes;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

async function sendBody(
  to: Receiver,
  { admitted, answer, slice, objects }: { admitted: Admitted; answer: Sendable; slice: Slice; objects: ObjectSender },
  begin: () => void,
): Promise<void> {
  const pace = paceOf(admitted);
  if (pace !== null) {
    const parts = paced(partsOf(answer, slice), pace, leaveSignal(to.response));
    return objects.sendParts(to, parts, begin);
  }
  if (answer.kind === 'object') return objects.send(to, answer.window, slice, begin);
  if (answer.kind === 'parts') return objects.sendParts(to, answer.cut(slice), begin);
  const { response } = to;
  begin();
  const bytes = answer.bytes.subarray(slice.start, slice.end);
  if (answer.kind === 'bytes') {
    // For an empty body, pass no chunk: `end()` then writes only the headers, with a plain write instead of writev.
    response.end(bytes.length === 0 ? undefined : bytes);
    return;
  }
  // The bytes stay in memory for a slow viewer, so they count as in use until the last one is sent.
  const sent = new Promise((resolve) => response.once('close', resolve));
  response.end(bytes);
  await sent;
}

function partsOf(answer: Sendable, slice: Slice): Iterable<Part> {
  if (answer.kind === 'parts') return answer.cut(slice);
  if (answer.kind !== 'object') return [{ bytes: answer.bytes.subarray(slice.start, slice.end) }];
  const { key, start } = answer.window;
  return [{ key, start: start + slice.start, end: start + slice.end }];
}

/**
 * Sends a refusal as short JSON. Caches may not store it unless the zone allows that, because a missing file may appear
 * later.
 */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message, hit, cacheControl = CACHE_NOTHING }: Problem & { cacheControl?: string },
  retryAfterSec?: number,
): void {
  const body = Buffer.from(JSON.stringify({ error: code, message, statusCode: status }));
  const headers: OutgoingHttpHeaders = {
    ...CORS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': cacheControl,
    'X-Content-Type-Options': 'nosniff',
  };
  if (retryAfterSec !== undefined) headers['Retry-After'] = retryAfterSec;
  if (hit !== undefined) headers[RULE_HEADER] = hit.rule.id;
  if (status === 405) Object.assign(headers, { Allow: 'GET, HEAD, OPTIONS', Connection: 'close' });
  // Closes the connection, because the rest of an oversized body is not read, and requests that follow an ambiguous one
  // cannot be trusted.
  if (status === 413 || status === 400) headers.Connection = 'close';
  response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Matches comma-separated header names (RFC 9110 section 5.6.2). Length and number are limited to values that browsers
 * may send.
 */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]{1,100}(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]{1,100}){0,40}$/;
const USUAL_HEADERS =
  'Range, If-None-Match, If-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Cache-Control, Content-Type';

/** Allows the requested headers. Players send CMCD and custom headers, which the edge ignores. */
export function sendPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const requested = headers['access-control-request-headers'];
  const isList = requested !== undefined && HEADER_NAMES.test(requested);
  response
    .writeHead(204, {
      ...CORS,
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
      'Access-Control-Allow-Headers': isList ? requested : USUAL_HEADERS,
      'Access-Control-Max-Age': '86400',
      Vary: 'Access-Control-Request-Headers',
      Allow: 'GET, HEAD, POST, OPTIONS',
    })
    .end();
}

/** Sends 204 for an accepted beacon, with no body and as few headers as possible. */
export function sendTaken(response: ServerResponse): void {
  response.writeHead(204, TAKEN).end();
}

const TAKEN = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': CACHE_NOTHING };

const CHANGED = toProblem('changed');
