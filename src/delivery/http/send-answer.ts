import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ObjectSender } from '../objects/object-sender.ts';
import type { Answer, Problem } from './answer.ts';
import { allowsRange, matchesEtag } from './conditions.ts';
import { readRange, type Slice } from './range.ts';

type Content = Exclude<Answer, { kind: 'problem' }>;

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Content-Length, Content-Range, ETag, Accept-Ranges, Date, Retry-After',
};

/** Sends an answer with conditions, ranges, HEAD and CORS applied. Waits until the last byte is handed over. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, objects }: { answer: Answer; objects: ObjectSender },
): Promise<void> {
  if (answer.kind === 'problem') {
    sendProblem(request, response, answer.problem, answer.retryAfterSec);
    return;
  }
  const headers: OutgoingHttpHeaders = { ...CORS, 'Cache-Control': answer.cacheControl, ...answer.headers };
  if (answer.etag !== null) headers.ETag = answer.etag;
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const sizeBytes = contentBytes(answer);
  const wanted = allowsRange(headerOf(request, 'if-range'), answer.etag) ? request.headers.range : undefined;
  const range = answer.status === 404 ? null : readRange(wanted, sizeBytes);
  headers['Accept-Ranges'] = 'bytes';
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...CORS, 'Content-Range': `bytes */${sizeBytes}`, 'Content-Length': 0 }).end();
    return;
  }
  const slice = range ?? { start: 0, end: sizeBytes };
  if (range !== null) headers['Content-Range'] = `bytes ${slice.start}-${slice.end - 1}/${sizeBytes}`;
  headers['Content-Type'] = answer.contentType;
  headers['Content-Length'] = slice.end - slice.start;
  headers['X-Content-Type-Options'] = 'nosniff';
  const status = range === null ? (answer.status ?? 200) : 206;
  if (request.method === 'HEAD') response.writeHead(status, headers).end();
  else await sendBody(response, { answer, slice, objects }, () => response.writeHead(status, headers));
}

function contentBytes(answer: Content): number {
  switch (answer.kind) {
    case 'bytes':
      return answer.bytes.length;
    case 'object':
      return answer.window.sizeBytes;
    case 'parts':
      return answer.sizeBytes;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

async function sendBody(
  response: ServerResponse,
  { answer, slice, objects }: { answer: Content; slice: Slice; objects: ObjectSender },
  begin: () => void,
): Promise<void> {
  if (answer.kind === 'object') return objects.send(response, answer.window, slice, begin);
  if (answer.kind === 'parts') return objects.sendParts(response, answer.cut(slice), begin);
  begin();
  response.end(answer.bytes.subarray(slice.start, slice.end));
}

/** A refusal as small JSON. It is never stored by caches: what is missing may come. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message }: Omit<Problem, 'status'> & { status: number },
  retryAfterSec?: number,
): void {
  const body = Buffer.from(JSON.stringify({ error: code, message, statusCode: status }));
  const headers: OutgoingHttpHeaders = {
    ...CORS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  if (retryAfterSec !== undefined) headers['Retry-After'] = retryAfterSec;
  if (status === 405) Object.assign(headers, { Allow: 'GET, HEAD, OPTIONS', Connection: 'close' });
  response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
}

export function sendPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      ...CORS,
      'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Headers': 'Range, If-None-Match, If-Range, Cache-Control, Content-Type',
      'Access-Control-Max-Age': '86400',
      Allow: 'GET, HEAD, OPTIONS',
    })
    .end();
}
