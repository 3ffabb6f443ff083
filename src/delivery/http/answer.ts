import type { Hit } from '../../catalog/shield/hit.ts';
import { EDGE_ERRORS, type EdgeErrorCode } from '../../lib/error-catalogue.ts';
import type { ObjectWindow, Part, Slice } from '../objects/object-part.ts';
import type { LentBytes } from '../objects/shared-bytes.ts';

/** What is said of an answer's bytes. */
export type Described = {
  /** 200 unless said otherwise; a page that says why there is nothing to see is 403 or 404. */
  status?: 200 | 403 | 404;
  contentType: string;
  cacheControl: string;
  /** Null for what is different each time. */
  etag: string | null;
  /** Since when the bytes under this address are the same; left out where that is not known. */
  modifiedAt?: Date;
  headers?: Record<string, string>;
  /** The rule by which a page shows a refusal. */
  hit?: Hit;
};

/** The rule that an answer is a refusal of; null for all others. */
export function hitOf(answer: Answer): Hit | null {
  return (answer.kind === 'problem' ? answer.problem.hit : answer.hit) ?? null;
}

/** `lend` gives bytes that are counted until they are released, which whoever sends them does once. */
export type MadeBytes = { measure(): Promise<number>; lend(): Promise<LentBytes> };

/** What the edge says to a request, before ranges and conditions are applied. */
export type Answer =
  | ({ kind: 'bytes'; bytes: Buffer } & Described)
  /** Bytes that are made when they are needed; a HEAD request causes no more than `measure`. */
  | ({ kind: 'made' } & MadeBytes & Described)
  | ({ kind: 'object'; window: ObjectWindow } & Described)
  /** Put together from stretches: `cut` names those of a slice of the whole, in order. */
  | ({ kind: 'parts'; sizeBytes: number; cut(slice: Slice): Iterable<Part> } & Described)
  | { kind: 'problem'; problem: Problem; retryAfterSec?: number };

/** Why there is nothing to see: a stable code, and a sentence for people. */
export type Problem = {
  status: number;
  code: EdgeErrorCode;
  message: string;
  /** The rule that refused, where one did. */
  hit?: Hit;
};

export const CACHE_FOR_EVER = 'public, max-age=31536000, immutable';
export const CACHE_SHORTLY = 'public, max-age=5';
export const CACHE_NEVER = 'no-cache';
export const CACHE_NOTHING = 'no-store';
/** For what is one viewer's own. */
export const CACHE_PRIVATELY = 'private, max-age=3600';

/** A problem as the catalogue has it, with a finer message where one is known. */
export function toProblem(code: EdgeErrorCode, message?: string): Problem {
  const { status, sentence } = EDGE_ERRORS[code];
  return { status, code, message: message ?? sentence };
}

/** Codes of what is not there. */
type AbsentCode = { [C in EdgeErrorCode]: (typeof EDGE_ERRORS)[C]['status'] extends 404 ? C : never }[EdgeErrorCode];

export function notFound(code: AbsentCode): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem(code) };
}

export function unavailable(message: string, retryAfterSec = 1): Extract<Answer, { kind: 'problem' }> {
  return { kind: 'problem', problem: toProblem('unavailable', message), retryAfterSec };
}
