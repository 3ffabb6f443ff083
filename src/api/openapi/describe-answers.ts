import type { Contract } from '../define-operation.ts';
import { EventLogPage, ProblemDetails } from '../models/event-log.ts';
import {
  ApiErrorData,
  AuthError401,
  StatusModel,
  StatusModelOfCaptionValidationModel,
  StatusModelOfListOfString,
} from '../models/status.ts';
import type { Components, Schema } from './component-schemas.ts';
import { exampleOf } from './examples.ts';

/** The parts of a contract that determine its responses. */
export type Answering = Pick<
  Contract<never, never, never, never>,
  'method' | 'refusals' | 'errorShape' | 'answerStatus' | 'name' | 'isHosted'
> & { query: object; body: unknown; answer: object | 'events' | 'csv' | 'bytes' | 'feed' | null };

type Words = { name: string; words: string };

/** Statuses that any operation may return, with their conditions. */
const COMMON: ReadonlyMap<number, Words> = new Map([
  [401, { name: 'Denied', words: 'The key is missing, invalid, expired or revoked, or is not for this resource.' }],
  [408, { name: 'TooSlow', words: 'The body took too long to arrive.' }],
  [413, { name: 'TooLarge', words: 'The body is larger than the limit of this operation.' }],
  [
    429,
    { name: 'Busy', words: 'Too many requests or uploads at the same time. Retry after the seconds in Retry-After.' },
  ],
  [500, { name: 'Failed', words: 'The service failed. Its log has the reason under the value of X-Request-Id.' }],
  [
    503,
    {
      name: 'Away',
      words:
        'A dependency of the service, such as the database, is unavailable. Retry after the seconds in Retry-After.',
    },
  ],
  [507, { name: 'DiskFull', words: 'There is not enough disk space.' }],
]);

const OWN: ReadonlyMap<number, Words> = new Map([
  [
    400,
    {
      name: 'Invalid',
      words: 'The request is not valid. The message names the field, the expected value and the received value.',
    },
  ],
  [403, { name: 'Forbidden', words: 'The key does not permit this operation.' }],
  [404, { name: 'NotFound', words: 'The resource that the path names does not exist.' }],
  [409, { name: 'Conflict', words: 'The request conflicts with the current state.' }],
  [416, { name: 'PastEnd', words: 'The range is past the end of the file. Content-Range has its size.' }],
  [422, { name: 'Unusable', words: 'The request is well-formed, but its values cannot be used.' }],
]);

/** Whether a request may be refused with a 400 although the operation lists none. */
function mayBeInvalid({ method, body, query }: Answering): boolean {
  // Every write rejects names that are guarded in other operations (see `Guard`).
  return method !== 'GET' || body !== null || Object.keys(Object(query).properties).length > 0;
}

/** Returns the responses of an operation by status: its success, its own refusals and the common ones. */
export function describeAnswers(operation: Answering, components: Components): Record<string, Schema> {
  const own = [...Object.values(operation.refusals), ...(mayBeInvalid(operation) ? [400] : [])];
  const statuses = [...new Set([...COMMON.keys(), ...own])].toSorted((a, b) => a - b);
  return {
    [operation.answerStatus ?? 200]: success(operation, components),
    ...(Object.hasOwn(operation.refusals, 'range') && { 206: PART }),
    ...(operation.answer === 'feed' && { 304: { description: 'The reader has this feed already.' } }),
    ...Object.fromEntries(statuses.map((status) => [status, refusal(operation, status, components)])),
  };
}

function success({ answer }: Answering, components: Components): Schema {
  if (answer === null) return { description: 'Success.', headers: HEADERS };
  if (answer === 'events') {
    return { description: 'A stream of server-sent events.', headers: HEADERS, content: { 'text/event-stream': {} } };
  }
  if (answer === 'csv') return { description: 'A CSV file.', headers: HEADERS, content: { 'text/csv': {} } };
  if (answer === 'feed') {
    return { description: 'A feed in RSS 2.0.', headers: HEADERS, content: { 'application/rss+xml': {} } };
  }
  if (answer === 'bytes') {
    return { description: 'Binary data.', headers: HEADERS, content: { 'application/octet-stream': {} } };
  }
  const content = { 'application/json': { schema: components.refer(answer), example: exampleOf(answer) } };
  return { description: 'Success.', headers: HEADERS, content };
}

function refusal({ errorShape }: Answering, status: number, components: Components): Schema {
  const known = COMMON.get(status) ?? OWN.get(status);
  if (known === undefined) throw new Error(`Expected a status that has a description, got ${status}. Add one.`);
  const model = bodyModel(errorShape, status);
  const headers = status === 429 || status === 503 ? { ...HEADERS, ...RETRY } : HEADERS;
  const answer = { description: known.words, headers, ...(model !== null && json(components.refer(model))) };
  const isUsual = model === StatusModel || model === AuthError401;
  const isOwn401 = status === 401 && model === StatusModel;
  const shape = isOwn401 ? 'AsStatus' : isUsual ? '' : errorShape.charAt(0).toUpperCase() + errorShape.slice(1);
  return components.referAnswer(`${known.name}${shape}`, answer);
}

function bodyModel(shape: Answering['errorShape'], status: number): object | null {
  if (shape === 'core') return ApiErrorData;
  if (shape === 'problem') return ProblemDetails;
  if (shape === 'event-log') return status === 401 ? EventLogPage : ProblemDetails;
  if (shape === 'status-throughout') return StatusModel;
  if (status === 401) return AuthError401;
  if (status !== 400 && status !== 422) return StatusModel;
  switch (shape) {
    case 'status':
      return StatusModel;
    case 'list':
      return StatusModelOfListOfString;
    case 'text':
      return { type: 'string' };
    case 'captions':
      return StatusModelOfCaptionValidationModel;
    case 'empty':
      return null;
  }
}

const HEADERS = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };
const PART = {
  description: 'The range that the header `Range` names.',
  headers: { ...HEADERS, 'Content-Range': { description: 'Range and size of the file.', schema: { type: 'string' } } },
  content: { 'application/octet-stream': {} },
};
const RETRY = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

function json(schema: Schema): Schema {
  return { content: { 'application/json': { schema } } };
}
