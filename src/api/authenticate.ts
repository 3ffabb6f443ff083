import { type Grant, opensLibrary } from '../catalog/keys/access-key.ts';
import type { KeyStore } from '../catalog/keys/key-store.ts';
import type { SessionStore } from '../catalog/keys/session-store.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import { Refused } from '../lib/refused.ts';
import type { Auth, Method } from './define-operation.ts';
import { readId } from './read-params.ts';

/**
 * Input of the authentication: the operation's rule, the key, the id of the session that replaces a key, and the
 * library in the path as received.
 */
export type Claim = {
  auth: Auth;
  key: string | undefined;
  session: string | null;
  libraryId: string | undefined;
};

export type AuthenticateDeps = { keys: KeyStore; sessions: SessionStore; libraries: LibraryStore };

/**
 * Finds the grant of a request's key. A key for another library is refused like an invalid one, so that callers cannot
 * find out which libraries exist.
 */
export async function authenticate(
  { auth, key, session, libraryId }: Claim,
  deps: AuthenticateDeps,
): Promise<Grant | null> {
  if (auth === 'none') return null;
  const grant = await findGrant({ key, session }, deps);
  if (grant === null) throw denied();
  if (auth === 'account-key') {
    if (grant.scope !== 'account') throw denied();
    return grant;
  }
  const id = readId(libraryId ?? '');
  if (id === null || !opensLibrary(grant, id)) throw denied();
  if (grant.libraryId === null && (await deps.libraries.recall(id)) === null) throw denied();
  return grant;
}

/** Returns whether a claim still grants the access that it granted when it was checked. */
export async function isOpen(claim: Claim, deps: AuthenticateDeps): Promise<boolean> {
  try {
    await authenticate(claim, deps);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'unauthenticated') return false;
    throw error;
  }
}

async function findGrant(
  { key, session }: Pick<Claim, 'key' | 'session'>,
  { keys, sessions }: AuthenticateDeps,
): Promise<Grant | null> {
  if (key !== undefined && key !== '') return keys.findGrant(key);
  return session === null ? null : sessions.findSession(session);
}

/** Throws `Refused` (`forbidden`) for all methods except GET for a read-only key. */
export function requireScope(grant: Grant | null, method: Method): void {
  if (grant?.scope !== 'read' || method === 'GET') return;
  throw new Refused('forbidden', `This key can only read, but ${method} writes. Use the library's ApiKey.`);
}

// Returns the refusal with the message that clients of the hosted API expect.
function denied(): Refused {
  return new Refused('unauthenticated', 'Authentication has been denied for this request.');
}
