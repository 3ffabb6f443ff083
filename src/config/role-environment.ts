import type { Role } from './roles.ts';
import { type RoleSettings, SECRET_FILE_SETTINGS, SECRET_SETTINGS } from './settings.ts';
import type { StorageSettings } from './storage.ts';

/**
 * For glibc (mallopt(3), M_MMAP_THRESHOLD): allocates parts of streams, which live for seconds among frames that live
 * for milliseconds, outside the heap, and returns them to the system one by one. Saves 1 MiB per stream with 60
 * streams.
 */
const INGEST_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(64 * 1024) };

/** Variables from which the S3 client reads its keys. */
const STORE_VARIABLE = /^AWS_/i;
/** Variables of the database's client, such as PGPASSWORD. Every role uses the database. */
const DATABASE_VARIABLE = /^PG[A-Z]/;
/** Variables that hold credentials of other programs. */
const FOREIGN_CREDENTIAL = /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)(_|$)/i;

/**
 * Returns the environment of a role's process: the supervisor's without the secrets among our settings, which a role
 * receives in a message, without credentials of other programs, and with an allowance for its memory. Every role reads
 * or writes objects, so each receives the keys of an S3 store if objects are in one, and none otherwise.
 */
export function environmentOf(
  role: Role,
  stores: readonly StorageSettings[],
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const usesS3 = stores.some(({ kind }) => kind === 's3');
  const isGiven = (name: string) => {
    if (STORE_VARIABLE.test(name)) return usesS3;
    if (SECRET_SETTINGS.has(name) || SECRET_FILE_SETTINGS.has(name)) return false;
    return name.startsWith('MILLRACE_') || DATABASE_VARIABLE.test(name) || !FOREIGN_CREDENTIAL.test(name);
  };
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => isGiven(name)));
  return role === 'ingest' ? { ...INGEST_MEMORY, ...own } : own;
}

/**
 * Returns the settings for starting a role, without secrets that it does not use. All roles use the secret key and the
 * database.
 */
export function settingsOf(role: Role, settings: RoleSettings): RoleSettings {
  const { languageModel, transcriber, keyServer, licenceServers, srtPassphrase, mail } = settings;
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
    mail: mail === null || isAny('edge', 'worker') ? mail : { ...mail, password: null },
  };
}
