import type { StorageKey } from '../../ports/storage.ts';
import type { Slice } from './range.ts';

/** Bytes `start` to `start + sizeBytes` of a stored object. `version` changes whenever the bytes do. */
export type ObjectWindow = { key: StorageKey; version: string; start: number; sizeBytes: number };

/** Bytes `start` to `end`, end excluded, of a stored object. */
export type ObjectPart = { key: StorageKey; start: number; end: number };

/** A stretch of an answer: bytes at hand, or stored ones. */
export type Part = { bytes: Buffer } | ObjectPart;

type Described = {
  /** 200 unless said otherwise; a page that says that nothing is there is 404. */
  status?: 200 | 404;
  contentType: string;
  cacheControl: string;
  /** Null for what is different each time. */
  etag: string | null;
  headers?: Record<string, string>;
};

/** What the edge says to a request, before ranges and conditions are applied. */
export type Answer =
  | ({ kind: 'bytes'; bytes: Buffer } & Described)
  | ({ kind: 'object'; window: ObjectWindow } & Described)
  /** Put together from stretches: `cut` names those of a slice of the whole, in order. */
  | ({ kind: 'parts'; sizeBytes: number; cut(slice: Slice): Iterable<Part> } & Described)
  | { kind: 'problem'; problem: Problem; retryAfterSec?: number };

/** Why there is nothing to see: a stable code, and a sentence for people. */
export type Problem = { status: 404 | 500 | 503; code: string; message: string };

export const CACHE_FOR_EVER = 'public, max-age=31536000, immutable';
export const CACHE_SHORTLY = 'public, max-age=5';
export const CACHE_NEVER = 'no-cache';

export function notFound(code: string, message: string): Answer {
  return { kind: 'problem', problem: { status: 404, code, message } };
}

export function unavailable(message: string, retryAfterSec = 1): Answer {
  return { kind: 'problem', problem: { status: 503, code: 'unavailable', message }, retryAfterSec };
}
