import type { Grant } from '../../catalog/keys/access-key.ts';
import { PERMISSIONS, type Permission, permissionsOf } from '../../catalog/people/permissions.ts';
import type { Caller, Role } from '../../catalog/people/person.ts';
import { EVENT_LOG_DAYS } from '../../catalog/shield/events/shield-event.ts';
import { TRASH_DAYS } from '../../catalog/videos/trash-store.ts';
import type { SpeechEngine } from '../models/speech-engine.ts';

/** Rights of a session: `account` everywhere, `libraries` by id of the library. */
export type SessionPermissions = { account: Permission[]; libraries: Record<number, Permission[]> };

/** A session as sent to the dashboard. `person` is null for a session of a key. */
export type SessionModel = {
  role: 'owner' | 'editor' | 'reader';
  libraryId: number | null;
  edgeUrl: string;
  keptDays: { trash: number; events: number; visits: number };
  permissions: SessionPermissions;
  /** Engines that are configured: for captions from speech, and for their translation. */
  engines: { speech: boolean; translation: boolean };
  person: {
    id: string;
    email: string;
    name: string;
    language: string | null;
    role: Role | null;
    hasTotp: boolean;
    hasPassword: boolean;
    sessionId: string;
  } | null;
};

const READING: readonly Permission[] = ['libraries.list', 'videos.read', 'statistics.read'];
const WRITING: readonly Permission[] = [...READING, 'videos.comment', 'videos.upload', 'videos.edit', 'live.edit'];

type Deps = {
  edgeUrl: string;
  sessionDays: number;
  translates: boolean;
  findSpeech(): Promise<SpeechEngine | null>;
};

export async function describeSession(
  caller: Caller,
  { edgeUrl, sessionDays, translates, findSpeech }: Deps,
): Promise<SessionModel> {
  const { scope, libraryId, person } = caller;
  return {
    role: ({ account: 'owner', write: 'editor', read: 'reader' } as const)[scope],
    libraryId,
    edgeUrl,
    keptDays: { trash: TRASH_DAYS, events: EVENT_LOG_DAYS, visits: sessionDays },
    permissions: permissionsOfCaller(caller),
    engines: { speech: await isConfigured(findSpeech), translation: translates },
    person: person === undefined ? null : { ...pick(person), role: person.roles.account },
  };
}

function pick({ id, email, name, language, hasTotp, hasPassword, sessionId }: NonNullable<Caller['person']>) {
  return { id, email, name, language, hasTotp, hasPassword, sessionId };
}

/**
 * Returns whether there is a speech engine, true if it cannot be read. A broken model must not prevent a sign-in. The
 * next transcription reports the problem.
 */
async function isConfigured(findSpeech: Deps['findSpeech']): Promise<boolean> {
  try {
    return (await findSpeech()) !== null;
  } catch {
    return true;
  }
}

export function permissionsOfCaller({ person, ...grant }: Caller): SessionPermissions {
  if (person === undefined) return permissionsOfKey(grant);
  const libraries = [...person.roles.libraries.keys()].map((id) => [id, permissionsOf(person.roles, id)]);
  return { account: permissionsOf(person.roles, null), libraries: Object.fromEntries(libraries) };
}

function permissionsOfKey({ scope, libraryId }: Grant): SessionPermissions {
  // `PERMISSIONS` has one entry for each permission, and no others.
  const all =
    scope === 'account' ? (Object.keys(PERMISSIONS) as Permission[]) : [...(scope === 'write' ? WRITING : READING)];
  return libraryId === null ? { account: all, libraries: {} } : { account: [], libraries: { [libraryId]: all } };
}
