import { signal } from '@preact/signals';
import type { SessionModel } from '../../../src/api/dashboard/describe-session.ts';
import type { Permission } from '../../../src/catalog/people/permissions.ts';
import { ApiError, api, whenSignedOut } from './api.ts';
import { unsaved } from './drafts.ts';
import { chooseLanguage, LANGUAGES, type LanguageCode, language, t } from './language.ts';
import { choosePasskey } from './passkeys.ts';
import { route } from './router.ts';
import { plural } from './words.ts';

export type Session = SessionModel;
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

/** Signs in with e-mail and password. Returns false if the code of the second factor is needed. */
export async function signInByPassword(given: { email: string; password: string; code?: string }): Promise<boolean> {
  const answer = await api<Session | { needsCode: true }>('POST', '/dashboard/session', given);
  if ('needsCode' in answer) return false;
  await open(answer);
  return true;
}

/** Signs in with a passkey that the person chooses. */
export async function signInByPasskey(): Promise<void> {
  await open(await api<Session>('POST', '/dashboard/passkey', await choosePasskey()));
}

/** Accepts an invitation, which signs the person in. */
export async function join(given: { secret: string; name: string; password: string }): Promise<void> {
  await open(await api<Session>('POST', '/dashboard/join', given));
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
  const chosen = found.person?.language ?? '';
  if (Object.hasOwn(LANGUAGES, chosen) && chosen !== language.value) await chooseLanguage(chosen as LanguageCode);
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

/** Returns whether the session includes a permission in a library, or in the account without one. */
export function may(permission: Permission, libraryId?: number | null): boolean {
  const { account = [], libraries: byLibrary = {} } = session.value?.permissions ?? {};
  if (account.includes(permission)) return true;
  return libraryId != null && byLibrary[libraryId]?.includes(permission) === true;
}

/** Returns whether the session may edit the videos of the shown library. */
export function mayWrite(): boolean {
  return may('videos.edit', shownLibrary());
}

/** Returns whether the session may add videos to the shown library. */
export function mayUpload(): boolean {
  return may('videos.upload', shownLibrary());
}

function shownLibrary(): number | null {
  return 'libraryId' in route.value ? route.value.libraryId : (libraries.value[0]?.id ?? null);
}

whenSignedOut(() => {
  if (session.value && unsaved.value.size > 0) isExpired.value = true;
  else session.value = null;
});
