import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import { faultsOf } from './check-model.ts';
import { errorsOf, type Real, type Row } from './interface-data.ts';

/** Statuses that every operation may respond with in addition to those of its row. 400 is an addition of Millrace. */
export const COMMON_STATUSES: readonly number[] = [400, 408, 413, 429, 503, 507];

/** Internal terms of the database, the language or a stack trace. */
const INTERNAL = new RegExp(
  [
    /\n\s+at |node:internal|\.ts:\d|kysely|postgres|constraint|relation "|syntax error|duplicate key|\[object /,
    /undefined|NaN|\b\w*Error:|\bENO[A-Z]+|_(sealed|hash|id|at|ms|px)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Phrases that tell the caller how to proceed. */
const ADVICE = new RegExp(
  '\\b(add|ask|authenticate|check|choose|close|correct|create|delete|encode|make room|move|revoke|say|send|set|' +
    'shorten|sign|start|try|turn|upload|use|wait|example|log has)\\b',
  'i',
);

/** Returns the message of a refusal, or null if it has no body. */
export function messageOf({ body }: Answer): string | null {
  if (typeof body === 'string') return body;
  const { message, Message, detail, errorResponse }: Record<string, unknown> = { ...Object(body) };
  const words = message ?? Message ?? detail ?? Object(errorResponse).message;
  return typeof words === 'string' ? words : null;
}

/**
 * Returns whether the status indicates that nothing was done. A refusal in the body of a 200 is a fault that the tests
 * report.
 */
export function isRefusal({ status, body }: Answer): boolean {
  return status >= 400 || Object(body).success === false || Object(body).Success === false;
}

/**
 * Checks the properties that all responses share: an id, a retry time, a readable message. `sent` is the whole content
 * of the request.
 */
export function expectGoodManners(answer: Answer, sent = ''): void {
  const { status, headers, text } = answer;
  expect(headers.get('x-request-id'), 'X-Request-Id').toMatch(/^[0-9a-f-]{36}$/);
  if (status === 429 || status === 503) expect(headers.get('retry-after'), 'Retry-After').toMatch(/^\d+$/);
  if (!isRefusal(answer) || text === '') return;
  expect(headers.get('content-type')).toMatch(/^application\/(problem\+)?json/);
  const message = messageOf(answer) ?? '';
  expect(message, 'a message that is a sentence').toMatch(/^[A-Z"'].{8,}[.!?]$/s);
  // Clients match the text of a 401, which must reveal nothing more.
  if (status !== 401) expect(message, 'what to do').toMatch(ADVICE);
  // A message may quote any input of the caller. The JSON parser and the router quote it unchanged.
  const own = message.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (words) => (isOf(sent, words) ? '""' : words));
  const known = /not valid JSON|cannot be parsed/.test(message) ? sent.toLowerCase() : '';
  const internal = [...own.matchAll(INTERNAL)].map(([words]) => words);
  expect(
    internal.filter((words) => !known.includes(words.toLowerCase())),
    message,
  ).toEqual([]);
}

/**
 * Returns whether the quoted text occurs in the request, either verbatim or encoded in JSON or a URL. Values of a
 * repeated parameter are quoted together.
 */
function isOf(sent: string, words: string): boolean {
  const plain = unquoted(words).replace(/…$/, '');
  return isSent(sent, plain) || plain.split(', ').every((value) => isSent(sent, value));
}

function isSent(sent: string, plain: string): boolean {
  return [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain)].some((text) => sent.includes(text));
}

function unquoted(words: string): string {
  try {
    return String(JSON.parse(words));
  } catch {
    return words.slice(1, -1);
  }
}

/** Checks the body of a response with a listed status against the row of its operation. */
export function expectBodyOf(row: Row, answer: Answer): void {
  const { status, body, text } = answer;
  if (status === row.success.status) {
    const { model } = row.success;
    if (model === null) expect(text).toBe('');
    else if (model !== 'binary') expect(faultsOf(body, model)).toEqual([]);
    return;
  }
  const model = errorsOf(row)[status];
  if (model == null) expectErrorBody({ errorShape: row.section === '4.4' ? 'core' : 'status' }, answer);
  else expect(faultsOf(body, model), `${status} ${text}`).toEqual([]);
}

/** Checks a refusal that declares no body: the body is empty, or has the error format that is usual for its path. */
export function expectErrorBody({ errorShape }: Pick<Real, 'errorShape'>, { status, body, text }: Answer): void {
  if (text === '') return;
  if (errorShape === 'problem') {
    expect(body).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
    return;
  }
  expect(faultsOf(body, usualModel(errorShape, status)), `${status} ${text}`).toEqual([]);
  const { statusCode, StatusCode }: Record<string, unknown> = { ...Object(body) };
  expect(statusCode ?? StatusCode ?? status).toBe(status);
}

function usualModel(shape: Real['errorShape'], status: number): string {
  if (shape === 'core') return 'ApiErrorData';
  return status === 401 && shape !== 'status-throughout' ? 'AuthError401' : 'StatusModel';
}
