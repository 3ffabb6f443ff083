import { createHash, randomBytes } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';

/**
 * What a key opens: `account` everything, `write` and `read` one library (every library when `libraryId` is null).
 * `keyName` says which key it was: the id of a further key, or ApiKey or ReadOnlyApiKey for the library's own.
 */
export type Grant = { scope: 'account' | 'write' | 'read'; libraryId: number | null; keyName: string };

/** A further key of a library as it may be shown; its text is not kept. */
export type AccessKey = {
  id: Guid;
  libraryId: number;
  scope: 'write' | 'read';
  label: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** At most a minute old. */
  lastUsedAt: Date | null;
};

/** The most keys that a library may have beside its own two, expired ones not counted. */
export const MOST_KEYS = 100;

/** Makes a key of 256 random bits, 64 hexadecimal digits. */
export function newKey(): string {
  return randomBytes(32).toString('hex');
}

/** The form in which a key is looked up: SHA-256 of its UTF-8 bytes, 32 bytes. A fast hash is right for random keys. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** Whether a grant reaches into a library at all; what it may do there is its scope. */
export function opensLibrary(grant: Grant, libraryId: number): boolean {
  return grant.libraryId === null || grant.libraryId === libraryId;
}
