import { createHash, randomBytes } from 'node:crypto';
import type { Guid } from '../../lib/guid.ts';

/**
 * Rights of a key. `account` grants access to everything, `write` and `read` to one library (to every library if
 * `libraryId` is null). `keyName` identifies the key: the id of an access key, or ApiKey or ReadOnlyApiKey for the
 * library's own keys.
 */
export type Grant = { scope: 'account' | 'write' | 'read'; libraryId: number | null; keyName: string };

/** An additional key of a library. Its text is not stored. */
export type AccessKey = {
  id: Guid;
  libraryId: number;
  scope: 'write' | 'read';
  label: string;
  createdAt: Date;
  expiresAt: Date | null;
  /** Updated with a delay of at most one minute. */
  lastUsedAt: Date | null;
};

/** Maximum number of unexpired keys of a library in addition to its own two. */
export const MAX_KEYS = 100;

/** Generates a key of 256 random bits as 64 hexadecimal digits. */
export function newKey(): string {
  return randomBytes(32).toString('hex');
}

/**
 * Returns the hash under which a key is looked up: SHA-256 of its UTF-8 bytes, 32 bytes. A fast hash is sufficient for
 * random keys.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** Returns whether a grant covers a library. The grant's scope decides which operations it allows there. */
export function opensLibrary(grant: Grant, libraryId: number): boolean {
  return grant.libraryId === null || grant.libraryId === libraryId;
}
