import type { Hit } from '../../catalog/shield/hit.ts';
import { EDGE_ERRORS, type EdgeErrorCode } from '../../lib/error-catalogue.ts';
import type { ObjectWindow, Part, Slice } from '../objects/object-part.ts';
import type { LentBytes } from '../objects/shared-bytes.ts';

/** Description of a response's bytes. */
export type Described = {
  /** 200 by default; a page that explains why there is nothing to see is 403 or 404. */
  status?: 200 | 403 | 404;
  contentType: string;
  cacheControl: string;
  /** Null if the bytes differ each time. */
  etag: string | null;
  /** Time since which the bytes at this URL are the same; omitted if unknown. */
  modifiedAt?: Date;
  headers?: Record<string, string>;
  /** The rule by which a page shows a refusal. */
  hit?: Hit;
};

/** Returns the rule that a response refuses by; null for all others. */
export function hitOf(answer: Answer): Hit | null {
  return (answer.kind === 'problem' ? answer.problem.hit : answer.hit) ?? null;
}

/** `lend` provides bytes that are counted until the sender releases them, once. */
export type MadeBytes = { measure(): Promise<number>; lend(): Promise<LentBytes> };

/** Response of the edge, before ranges and conditions are applied. */
export type Answer =
  | ({ kind: 'bytes'; bytes: Buffer } & Described)
  /** Bytes that are made on demand; a HEAD request only causes `measure`. */
  | ({ kind: 'made' } & MadeBytes & Described)
  | ({ kind: 'object'; window: ObjectWindow } & Described)
  /** Assembled from parts: `cut` returns those of a slice of the whole, in order. */
  | ({ kind: 'parts'; sizeBytes: number; cut(slice: Slice): Iterable<Part> } & Described)
  | { kind: 'problem'; problem: Problem; retryAfterSec?: number };

/** Reason why there is nothing to see: a stable code, and a sentence for people. */
export type Problem = {
  status: number;
  code: EdgeErrorCode;
  message: string;
  /** The rule that refused, if one did. */
  hit?: Hit;
};

export const CACHE_FOR_EVER = 'public, max-age=31536000, immutable';
export const CACHE_SHORTLY = 'public, max-age=5';
export const CACHE_NEVER = 'no-cache';
export const CACHE_NOTHING = 'no-store';
/** For responses that belong to one viewer. */
export const CACHE_PRIVATELY = 'private, max-age=3600';

/** Returns a problem of the catalogue, with a more specific message if one is given. */
export function toProblem(code: EdgeErrorCode, message?: string): Problem {
  const { status, sentence } = EDGE_ERRORS[code];
  return { status, code, message: message ?? sentence };
}

/** Codes of missing things. */
type AbsentCode = { [C in EdgeErrorCode]: (typeof EDGE_ERRORS)[C]['status'] extends 404 ? C : never }[EdgeErrorCode];

export function notFound(code: AbsentCode): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem(code) };
}

export function unavailable(message: string, retryAfterSec = 1): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem('unavailable', message), retryAfterSec };
}
