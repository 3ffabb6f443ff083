import { opensLibrary } from '../catalog/keys/access-key.ts';
import type { KeyStore } from '../catalog/keys/key-store.ts';
import type { SessionStore } from '../catalog/keys/session-store.ts';
import type { LibraryStore } from '../catalog/libraries/library-store.ts';
import { isPermitted, type Permission } from '../catalog/people/permissions.ts';
import type { Caller, SignedInPerson } from '../catalog/people/person.ts';
import type { PersonSessionStore } from '../catalog/people/person-session-store.ts';
import { Refused } from '../lib/refused.ts';
import type { Auth, Method } from './define-operation.ts';
import { readId } from './read-params.ts';

/**
 * Input of the authentication: the rules of the operation, the key, the id of the session that replaces a key, and the
 * library in the path as received.
 */
export type Claim = {
  auth: Auth;
  permission: Permission;
  key: string | undefined;
  session: string | null;
  libraryId: string | undefined;
};

export type AuthenticateDeps = {
  keys: KeyStore;
  sessions: SessionStore;
  personSessions: PersonSessionStore;
  libraries: LibraryStore;
};

/**
 * Finds the grant of a request's key. A key for another library is refused like an invalid one, so that callers cannot
 * find out which libraries exist. A person without the permission gets `forbidden`, even if the library does not exist.
 */
export async function authenticate(
  { auth, permission, key, session, libraryId }: Claim,
  deps: AuthenticateDeps,
): Promise<Caller | null> {
  if (auth === 'none') return null;
  const person = await findPerson({ key, session }, deps);
  if (person !== null) return admitPerson(person, { auth, permission, libraryId }, deps);
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
    if (error instanceof Refused && (error.kind === 'unauthenticated' || error.kind === 'forbidden')) return false;
    throw error;
  }
}

async function findGrant(
  { key, session }: Pick<Claim, 'key' | 'session'>,
  { keys, sessions }: AuthenticateDeps,
): Promise<Caller | null> {
  if (key !== undefined && key !== '') return keys.findGrant(key);
  return session === null ? null : sessions.findSession(session);
}

/** A key in a request takes precedence over the session of its cookie. */
export async function findPerson(
  { key, session }: Pick<Claim, 'key' | 'session'>,
  { personSessions }: Pick<AuthenticateDeps, 'personSessions'>,
): Promise<SignedInPerson | null> {
  if (session === null || (key !== undefined && key !== '')) return null;
  return personSessions.find(session);
}

async function admitPerson(
  person: SignedInPerson,
  { auth, permission, libraryId }: Pick<Claim, 'auth' | 'permission' | 'libraryId'>,
  { libraries }: Pick<AuthenticateDeps, 'libraries'>,
): Promise<Caller> {
  const id = readId(libraryId ?? '');
  const isKnown = auth !== 'access-key' || (id !== null && (await libraries.recall(id)) !== null);
  if (!isPermitted(person.roles, permission, id)) {
    throw new Refused(
      'forbidden',
      `Your role does not include the permission ${permission} here. Ask an owner for it.`,
    );
  }
  // Only roles in the whole account are permitted in a library that does not exist.
  if (!isKnown) throw new Refused('forbidden', `There is no library ${libraryId}. Choose another one.`);
  return toCaller(person, id);
}

/** Returns the rights of a person as a grant. Its scope decides which secrets are shown. */
export function toCaller(person: SignedInPerson, libraryId: number | null): Caller {
  const has = (permission: Permission) => isPermitted(person.roles, permission, libraryId);
  const scope = has('account.manage') ? 'account' : has('live.edit') ? 'write' : 'read';
  return { scope, libraryId: null, keyName: `${person.id} ${person.email}`, person };
}

/** Throws `Refused` (`forbidden`) for a read-only key, except for GET without `keyScope`. */
export function requireScope(
  grant: Caller | null,
  { method, keyScope }: { method: Method; keyScope?: 'write' | undefined },
): void {
  if (grant?.person !== undefined || grant?.scope !== 'read') return;
  if (keyScope === 'write' && method === 'GET') {
    throw new Refused(
      'forbidden',
      "This key can only read, but this operation needs write access. Use the library's ApiKey.",
    );
  }
  if (method === 'GET') return;
  throw new Refused('forbidden', `This key can only read, but ${method} writes. Use the library's ApiKey.`);
}

// Returns the refusal with the message that clients of the hosted API expect.
function denied(): Refused {
  return new Refused('unauthenticated', 'Authentication has been denied for this request.');
}
