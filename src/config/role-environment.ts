import type { Role } from './roles.ts';
import { type RoleSettings, SECRET_SETTINGS } from './settings.ts';

/**
 * For glibc (mallopt(3), M_MMAP_THRESHOLD): parts of streams, which live for seconds among frames that live for
 * milliseconds, lie outside the heap and go back to the system one by one. With 60 streams it saves 1 MiB a stream.
 */
const INGEST_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(64 * 1024) };

/**
 * The environment of a role's process: that of its supervisor without the secrets among our settings, which a role gets
 * by a message, and an allowance for its memory.
 */
export function environmentOf(role: Role, environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_SETTINGS.has(name)));
  return role === 'ingest' ? { ...INGEST_MEMORY, ...own } : own;
}

/**
 * The settings that a role is started with. Secrets that it does not use are left out. The secret key and the database
 * are used by all.
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
