import { createHash, randomBytes } from 'node:crypto';

/** What a key opens: `account` everything, `write` and `read` one library (every library when `libraryId` is null). */
export type Grant = { scope: 'account' | 'write' | 'read'; libraryId: number | null };

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
