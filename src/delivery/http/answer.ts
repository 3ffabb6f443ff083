import type { Hit } from '../../catalog/shield/hit.ts';
import { EDGE_ERRORS, type EdgeErrorCode } from '../../lib/error-catalogue.ts';
import type { ObjectWindow, Part, Slice } from '../objects/object-part.ts';
import type { LentBytes } from '../objects/shared-bytes.ts';

/** Metadata of a response body. */
export type Described = {
  /** Status of the response. Default: 200. A page that explains a refusal has 403, 404, 410, 429 or 503. */
  status?: 200 | 303 | 403 | 404 | 410 | 429 | 503;
  contentType: string;
  cacheControl: string;
  /** ETag of the body. Null if the bytes differ between responses. */
  etag: string | null;
  /** Time since which the bytes at this URL have not changed. Omitted if unknown. */
  modifiedAt?: Date;
  headers?: Record<string, string>;
  /** Rule that caused the refusal that the page explains. */
  hit?: Hit;
};

/** Returns the rule that caused a refusal, or null for other responses. */
export function hitOf(answer: Answer): Hit | null {
  return (answer.kind === 'problem' ? answer.problem.hit : answer.hit) ?? null;
}

/** Bytes that are created for a response. `lend` returns bytes that count as in use until the sender releases them. */
export type MadeBytes = { measure(): Promise<number>; lend(): Promise<LentBytes> };

/** Response of the edge before ranges and conditions are applied. */
export type Answer =
  | ({ kind: 'bytes'; bytes: Buffer } & Described)
  /** Bytes made on demand. A HEAD request only calls `measure`. */
  | ({ kind: 'made' } & MadeBytes & Described)
  | ({ kind: 'object'; window: ObjectWindow } & Described)
  /** Body assembled from parts. `cut` returns the parts of a slice of the body, in order. */
  | ({ kind: 'parts'; sizeBytes: number; cut(slice: Slice): Iterable<Part> } & Described)
  | { kind: 'problem'; problem: Problem; retryAfterSec?: number };

/** Reason for a refusal: a stable code and a sentence for people. */
export type Problem = {
  status: number;
  code: EdgeErrorCode;
  message: string;
  /** Rule that caused the refusal, if any. */
  hit?: Hit;
};

export const CACHE_FOR_EVER = 'public, max-age=31536000, immutable';
export const CACHE_SHORTLY = 'public, max-age=5';
export const CACHE_NEVER = 'no-cache';
export const CACHE_NOTHING = 'no-store';
/** Cache-Control of responses for a single viewer. */
export const CACHE_PRIVATELY = 'private, max-age=3600';

/** Returns a problem from the catalogue. `message` replaces its sentence with a more specific one. */
export function toProblem(code: EdgeErrorCode, message?: string): Problem {
  const { status, sentence } = EDGE_ERRORS[code];
  return { status, code, message: message ?? sentence };
}

/** Returns the problem of a request that a rule refused. */
export function blockedProblem({ hit, status }: { hit: Hit; status: number }): Problem {
  const message = `${hit.rule.message}: expected ${hit.expected}, got ${hit.received}.`;
  return { status, code: hit.rule.code, message, hit };
}

/** Error codes with status 404. */
type AbsentCode = { [C in EdgeErrorCode]: (typeof EDGE_ERRORS)[C]['status'] extends 404 ? C : never }[EdgeErrorCode];

export function notFound(code: AbsentCode): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem(code) };
}

export function unavailable(message: string, retryAfterSec = 1): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem('unavailable', message), retryAfterSec };
}
