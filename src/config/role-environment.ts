import type { Role } from './roles.ts';
import { type RoleSettings, SECRET_SETTINGS } from './settings.ts';

/**
 * For glibc (mallopt(3), M_MMAP_THRESHOLD): allocates parts of streams, which live for seconds among frames that live
 * for milliseconds, outside the heap, and returns them to the system one by one. Saves 1 MiB per stream with 60
 * streams.
 */
const INGEST_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(64 * 1024) };

/**
 * Returns the environment of a role's process: the supervisor's environment without secret settings, which a role
 * receives in a message, and memory options for ingest.
 */
export function environmentOf(role: Role, environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_SETTINGS.has(name)));
  return role === 'ingest' ? { ...INGEST_MEMORY, ...own } : own;
}

/**
 * Returns the settings for starting a role, without secrets that it does not use. All roles use the secret key and the
 * database.
 */
export function settingsOf(role: Role, settings: RoleSettings): RoleSettings {
  const { languageModel, transcriber, keyServer, licenceServers, srtPassphrase } = settings;
  const isAny = (...users: Role[]) => users.includes(role);
  return {
    ...settings,
    accountKey: null,
    libraryKey: null,
    srtPassphrase: isAny('ingest') ? srtPassphrase : null,
    languageModel: languageModel === null || isAny('worker') ? languageModel : { ...languageModel, key: null },
    transcriber: transcriber.kind !== 'http' || isAny('api', 'worker') ? transcriber : { ...transcriber, key: null },
    keyServer: keyServer === null || !isAny('edge') ? keyServer : { ...keyServer, authorization: null },
    licenceServers: isAny('api', 'edge') ? licenceServers : {},
  };
}
