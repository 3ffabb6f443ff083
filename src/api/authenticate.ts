import { type Grant, opensLibrary } from '../catalog/keys/access-key.ts';
import type { KeyStore } from '../catalog/keys/key-store.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import { Refused } from '../lib/refused.ts';
import type { Auth, Method } from './define-operation.ts';
import { readId } from './read-params.ts';

/** What decides whether a request may go on: the operation's rule, the key and the library of the path as they came. */
export type Claim = { auth: Auth; method: Method; key: string | undefined; libraryId: string | undefined };

type Deps = { keys: KeyStore; libraries: LibraryStore };

/**
 * Finds what a request's key opens. A key that does not open this library is refused as one that is not
 * valid at all, so that nobody learns which libraries exist; a reading key may only GET (`forbidden`).
 */
export async function authenticate({ auth, method, key, libraryId }: Claim, deps: Deps): Promise<Grant | null> {
  if (auth === 'none') return null;
  const grant = key === undefined || key === '' ? null : await deps.keys.find(key);
  if (grant === null) throw denied();
  if (auth === 'account-key') {
    if (grant.scope !== 'account') throw denied();
    return grant;
  }
  const id = readId(libraryId ?? '');
  if (id === null || !opensLibrary(grant, id)) throw denied();
  if (grant.libraryId === null && (await deps.libraries.recall(id)) === null) throw denied();
  if (grant.scope === 'read' && method !== 'GET') {
    throw new Refused('forbidden', `This key may only read, ${method} writes. Use the library's ApiKey.`);
  }
  return grant;
}

// The words that clients of this interface know.
function denied(): Refused {
  return new Refused('unauthenticated', 'Authentication has been denied for this request.');
}
