import { signal } from '@preact/signals';
import { ApiError, api, whenSignedOut } from './api.ts';
import { unsaved } from './drafts.ts';
import { t } from './language.ts';
import { plural } from './words.ts';

/** The signed-in user. An owner has the account's key and a null `libraryId`. Others have the key of one library. */
export type Session = {
  role: 'owner' | 'editor' | 'reader';
  libraryId: number | null;
  edgeUrl: string;
  /** Days after which the service deletes each kind of data. */
  keptDays: { trash: number; events: number; visits: number };
};
export type LibraryName = { id: number; name: string };

/** `undefined` until known. */
export const session = signal<Session | null | undefined>(undefined);
/** True if the session ended while the page had unsaved changes. The page then asks for a key. */
export const isExpired = signal(false);
export const libraries = signal<readonly LibraryName[]>([]);

export async function restoreSession(): Promise<void> {
  try {
    await open(await api<Session>('GET', '/dashboard/session'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    session.value = null;
  }
}

export async function signIn(key: string): Promise<void> {
  await open(await api<Session>('POST', '/dashboard/session', { key }));
}

/** Signs in with the secret of a link that the first start printed. */
export async function signInByLink(link: string): Promise<void> {
  await open(await api<Session>('POST', '/dashboard/session', { link }));
}

export async function signOut(): Promise<void> {
  await api('DELETE', '/dashboard/session');
  session.value = null;
  isExpired.value = false;
}

async function open(found: Session): Promise<void> {
  libraries.value = await loadLibraries(found);
  session.value = found;
  isExpired.value = false;
}

async function loadLibraries({ libraryId }: Session): Promise<LibraryName[]> {
  if (libraryId !== null) return [{ id: libraryId, name: t('Library {0}', libraryId) }];
  const found = await api<{ Id: number; Name: string }[]>('GET', '/videolibrary');
  return found.map(({ Id, Name }) => ({ id: Id, name: Name }));
}

/** Reads the list of libraries again, after one was created, renamed or deleted. */
export async function reloadLibraries(): Promise<void> {
  if (session.value) libraries.value = await loadLibraries(session.value);
}

/** Returns the retention time as readable text. */
export function keptFor(what: keyof Session['keptDays']): string {
  return plural(session.value?.keptDays[what] ?? 0, 'day');
}

export function mayWrite(): boolean {
  return session.value !== null && session.value?.role !== 'reader';
}

whenSignedOut(() => {
  if (session.value && unsaved.value.size > 0) isExpired.value = true;
  else session.value = null;
});
