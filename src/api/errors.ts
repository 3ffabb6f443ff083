import { isDatabaseAway } from '../catalog/is-database-away.ts';
import { StoreNotOurs } from '../jobs/store/store-guard.ts';
import { REFUSALS, type RefusalKind } from '../lib/error-catalogue.ts';
import { http } from '../lib/http.ts';
import { Refused } from '../lib/refused.ts';
import { unreachable } from '../lib/unreachable.ts';
import { isStorageAway } from '../ports/storage.ts';
import type { Contract, ErrorShape } from './define-operation.ts';
import type { CaptionValidationModel } from './models/status.ts';
import { RefusedCaptions } from './refused-captions.ts';
import { emptyPage, RefusedEventLog } from './refused-event-log.ts';
import { RefusedRange } from './refused-range.ts';

/** Seconds after which a caller may try again. */
const RETRY_AFTER_SEC = 5;

/** The parts of a contract that decide how its errors are reported. */
export type Rules = Pick<Contract<never, never, never, never>, 'name' | 'path' | 'refusals' | 'errorShape'>;

/** Reason for ending the work of a request: the client disconnected. */
export class CallerGone extends Error {
  constructor() {
    super('The client disconnected before the response was complete.');
    this.name = 'CallerGone';
  }
}

/** An error as sent. `body` is undefined for an empty response. If `isOurs`, the error must be logged. */
export type ErrorAnswer = { status: number; headers: Record<string, string>; body: unknown; isOurs: boolean };

/** Converts any thrown value to a status and a body. No other code does. */
export function toErrorAnswer(error: unknown, rules: Rules): ErrorAnswer {
  const shape = rules.errorShape;
  if (error instanceof Refused) {
    const { kind, message } = error;
    const status = statusOf(kind, rules);
    const again = status === 429 || status === 503;
    return {
      status,
      headers: {
        ...(again && { 'retry-after': String(RETRY_AFTER_SEC) }),
        // RFC 9110 section 15.5.17.
        ...(error instanceof RefusedRange && { 'content-range': `bytes */${error.sizeBytes}` }),
        // The bodies of the hosted API have no field for a code.
        ...(kind === 'quota-reached' && { 'x-millrace-error': kind }),
      },
      body: bodyOf({ shape, kind, message, status, rules, error }),
      isOurs: false,
    };
  }
  const away = findAway(error);
  if (away !== null) {
    const message =
      `The ${away} cannot be reached. As far as is known, this request changed nothing. Try again in ` +
      `${RETRY_AFTER_SEC} s.`;
    const body = bodyOf({ shape, kind: 'unavailable', message, status: 503 });
    return { status: 503, headers: { 'retry-after': String(RETRY_AFTER_SEC) }, body, isOurs: true };
  }
  const message =
    'The service failed to process this request. The log has the reason under the X-Request-Id of this response.';
  return {
    status: 500,
    headers: {},
    body: bodyOf({ shape, kind: 'unavailable', message, status: 500 }),
    isOurs: !isByCallerGone(error),
  };
}

const SECOND_ADDRESS = /^\/+(pullzone|videolibrary|shield|storagezone|user|billing|country|region|statistics)\b/i;

/** Returns the error format for a path without an operation: the format of similar paths. */
export function rulesOfAddress(url: string): Rules {
  const errorShape = SECOND_ADDRESS.test(url) ? 'core' : 'status';
  return { name: 'none', path: url, refusals: {}, errorShape };
}

/** Refusals caused by the content of a request: 400 unless the operation lists another status. */
const OF_REQUEST: readonly RefusalKind[] = ['invalid', 'conflict', 'unprocessable'];

// Never 200: a client that checks only the status would treat a refusal as a success.
function statusOf(kind: RefusalKind, rules: Rules): number {
  return rules.refusals[kind] ?? (OF_REQUEST.includes(kind) ? 400 : REFUSALS[kind].status);
}

type Words = {
  shape: ErrorShape;
  kind: RefusalKind;
  message: string;
  status: number;
  rules?: Rules;
  error?: Refused;
};

function bodyOf({ shape, kind, message, status, rules, error }: Words): unknown {
  if (shape === 'core')
    return coreBody(kind, {
      message,
      status,
      path: rules?.path ?? '',
      field: error?.field ?? null,
      key: error?.coreKey ?? null,
    });
  if (shape === 'problem') return problemBody(status, message);
  if (shape === 'event-log') return eventLogBody(status, message, error);
  const model = { success: false, message, statusCode: status };
  if (shape === 'status-throughout') return model;
  if (status === 401) return { Success: false, Message: message, StatusCode: 401 };
  if (status !== 400 && status !== 422) return model;
  switch (shape) {
    case 'status':
      return model;
    case 'list':
      return { ...model, data: [...(error?.faults ?? [message])] };
    case 'text':
      return message;
    case 'captions':
      return { ...model, data: validationOf(message, error) };
    case 'empty':
      return undefined;
    default:
      return unreachable(shape);
  }
}

/** Builds a body in the format of RFC 9457, which the shield operations use. */
function problemBody(status: number, detail: string): object {
  return { type: 'about:blank', title: http.STATUS_CODES[status] ?? 'Error', status, detail };
}

/**
 * Builds an error body of the event log. Clients read the fields of a page, so a refusal of the event log and a 401
 * have them. A 401 also has the fields of a problem.
 */
function eventLogBody(status: number, message: string, error: Refused | undefined): object {
  if (error instanceof RefusedEventLog) return emptyPage(status, message, error.errorKey);
  return status === 401
    ? { ...problemBody(status, message), ...emptyPage(status, message, 'authentication.failed') }
    : problemBody(status, message);
}

/** Names of the account API's resources in errors, by the first part of the path. */
const CORE_THINGS: Readonly<Record<string, string>> = {
  pullzone: 'PullZone',
  videolibrary: 'VideoLibrary',
  storagezone: 'StorageZone',
};

function validationOf(message: string, error: Refused | undefined): CaptionValidationModel {
  if (error instanceof RefusedCaptions) return error.validation;
  return { valid: false, errorList: [message], warningList: [], warningMessage: '' };
}

type CoreWords = { message: string; status: number; path: string; field: string | null; key: string | null };

function coreBody(kind: RefusalKind, { message, status, path, field, key }: CoreWords): object {
  if (status === 401) return { ErrorKey: 'authentication.failed', Field: 'AccessKey', Message: message };
  if (status >= 500) return { ErrorKey: 'internal_error', Field: null, Message: message };
  const thing = CORE_THINGS[path.split('/')[1] ?? ''];
  if (kind === 'not-found' && thing !== undefined) {
    const ErrorKey = `${thing.charAt(0).toLowerCase()}${thing.slice(1)}.not_found`;
    return { ErrorKey, Field: field ?? thing, Message: message };
  }
  return { ErrorKey: key ?? `request.${kind.replaceAll('-', '_')}`, Field: field, Message: message };
}

/** Returns the unavailable dependency that caused an error, or null if none did. */
function findAway(error: unknown): 'database' | 'object store' | null {
  if (isDatabaseAway(error)) return 'database';
  return isStorageAway(error) || error instanceof StoreNotOurs ? 'object store' : null;
}

function isByCallerGone(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof CallerGone) return true;
  return false;
}
