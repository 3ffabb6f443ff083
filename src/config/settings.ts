import { accessSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import Type, { type TSchema, type TSchemaOptions } from 'typebox';
import { Check } from 'typebox/value';
import { hasCode } from '../lib/has-code.ts';
import { parseUrl } from '../lib/parse-url.ts';
import { readSmallFile } from '../lib/read-small-file.ts';
import { Refused } from '../lib/refused.ts';
import { isTypo, suggestName } from '../lib/suggest-name.ts';
import { type DatabaseConnection, type DatabaseSettings, databaseSchema, databaseSettings } from './database.ts';
import { type DrmSettings, drmSchema, drmSettings } from './drm.ts';
import { type EngineSettings, engineSchema, engineSettings } from './engines.ts';
import { type KeySettings, keySchema, keySettings } from './keys.ts';
import { type LiveSettings, liveProblems, liveSchema, liveSettings } from './live.ts';
import { type LogSettings, logSchema, logSettings } from './logs.ts';
import { type MailSettings, mailProblems, mailSchema, mailSettings } from './mail.ts';
import { type NetworkSettings, networkSchema, networkSettings } from './network.ts';
import { setting } from './setting.ts';
import { type StatisticsSettings, statisticsSchema, statisticsSettings } from './statistics.ts';
import {
  exportFolderSetting,
  quarantineSecSetting,
  type StorageSettings,
  scrubRateSetting,
  storageFromSettings,
  storageSchema,
  storageSettings,
} from './storage.ts';

/** Every setting, validated. Paths are absolute. */
export type Settings = {
  dataDir: string;
  /** True if the data folder must be on a mounted volume, as in a container. */
  requiresVolume: boolean;
  storage: StorageSettings;
  storageFrom: StorageSettings | null;
  quarantineSec: number;
  /** Bytes per second that each worker reads to find damage; 0 disables it. */
  scrubBytesPerSec: number;
  /** Folder below which exports may be written; null: exports to folders are turned off. */
  exportFolder: string | null;
} & NetworkSettings &
  LogSettings &
  LiveSettings &
  DatabaseSettings &
  KeySettings &
  DrmSettings &
  EngineSettings &
  MailSettings &
  StatisticsSettings;

/** Settings of a role: with the database connection and the secret key resolved. */
export type RoleSettings = Omit<Settings, 'databaseUrl' | 'secretKey'> & {
  database: DatabaseConnection;
  secretKey: Uint8Array;
  /** File of the secret key, which a rotation replaces. Null if the key is in a setting. */
  secretKeyFile: string | null;
};

export type Environment = Readonly<Record<string, string | undefined>>;

const settingsSchema = Type.Object({
  MILLRACE_DATA_DIR: setting('a folder', (text) => (text.includes('\0') ? null : text)),
  MILLRACE_DATA_VOLUME: setting('required or off', parseVolume),
  ...databaseSchema,
  ...storageSchema,
  ...networkSchema,
  ...logSchema,
  ...liveSchema,
  ...keySchema,
  ...drmSchema,
  ...engineSchema,
  ...mailSchema,
  ...statisticsSchema,
});

/** Names of the settings whose values are secrets. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set(
  Object.entries(settingsSchema.properties).flatMap(([name, schema]) => {
    const { writeOnly } = schema as TSchemaOptions; // Every schema here is created by `setting`.
    return writeOnly === true ? [name] : [];
  }),
);

/** Returns the secrets among the settings of a process, so that the log masks them. */
export function secretsOf(settings: Settings | RoleSettings): (string | null)[] {
  const { accountKey, libraryKey, srtPassphrase, transcriber, languageModel, keyServer, licenceServers, mail } =
    settings;
  const url: unknown = 'database' in settings ? Object(settings.database).connectionString : settings.databaseUrl;
  return [
    ...[accountKey, libraryKey, srtPassphrase, keyServer?.authorization ?? null, languageModel?.key ?? null],
    transcriber.kind === 'http' ? transcriber.key : null,
    mail?.password ?? null,
    ...Object.values(licenceServers).map((server) => server.authorization),
    settings.secretKey === null ? null : Buffer.from(settings.secretKey).toString('base64'),
    passwordOf(typeof url === 'string' ? url : null),
  ];
}

function passwordOf(url: string | null): string | null {
  const password = url === null ? '' : (parseUrl(url)?.password ?? '');
  try {
    return decodeURIComponent(password);
  } catch {
    // A stray percent sign is part of the password.
    return password;
  }
}

type SettingSchema = TSchemaOptions & { hint(text: string): string };

const FILE_SUFFIX = '_FILE';

/** Names of the settings that give the path of a file with a secret. */
export const SECRET_FILE_SETTINGS: ReadonlySet<string> = new Set(
  [...SECRET_SETTINGS].map((name) => `${name}${FILE_SUFFIX}`),
);

type SettingName = keyof typeof settingsSchema.properties;
type Texts = Partial<Record<SettingName, string>>;

const CONFIG_NAME = 'MILLRACE_CONFIG';
const DEFAULT_DATA_DIR = './data';

/** Reads the environment of this process. No code outside `config/` does so. */
export function readOwnSettings(): Settings {
  return readSettings(process.env);
}

/**
 * Reads all settings from the environment, and from a file with the same names (`MILLRACE_CONFIG`, else `millrace.env`
 * in the data folder) for the others. An empty value counts as unset. A secret may be in a separate file, which the
 * name with `_FILE` gives. Throws `Refused` with one line per wrong setting.
 */
export function readSettings(environment: Environment): Settings {
  const { texts, files, problems: fileProblems } = readTexts(environment);
  const problems = [...fileProblems, ...settingProblems(texts, files), ...liveProblems(texts), ...mailProblems(texts)];
  if (problems.length > 0) throw new Refused('invalid', problems.join('\n'));
  const dataDir = dataDirOf(texts);
  const storage = storageSettings(texts, dataDir);
  return {
    dataDir,
    requiresVolume: parseVolume(texts.MILLRACE_DATA_VOLUME ?? '') === 'required',
    storage,
    storageFrom: storageFromSettings(texts, storage),
    quarantineSec: quarantineSecSetting(texts),
    scrubBytesPerSec: scrubRateSetting(texts),
    exportFolder: exportFolderSetting(texts),
    ...networkSettings(texts),
    ...logSettings(texts),
    ...liveSettings(texts),
    ...databaseSettings(texts),
    ...keySettings(texts),
    ...drmSettings(texts),
    ...engineSettings(texts),
    ...mailSettings(texts),
    ...statisticsSettings(texts),
  };
}

/**
 * A name that is not a setting, and a sentence that suggests the nearest setting. `refusal` is the message of a first
 * start for a name that is certainly misspelt, else null.
 */
export type UnknownSetting = { name: string; sentence: string; refusal: string | null };

/** Returns each name that begins with MILLRACE_ and is no setting: most likely misspelt. */
export function findUnknownSettings(environment: Environment): UnknownSetting[] {
  const known = [...Object.keys(settingsSchema.properties), ...SECRET_FILE_SETTINGS, CONFIG_NAME];
  const given = Object.keys({ ...readFile(environment), ...environment });
  const unknown = given.filter((name) => name.startsWith('MILLRACE_') && !known.includes(name));
  return unknown.map((name) => {
    const hint = suggestName(name, known);
    return {
      name,
      sentence: `${name} is not a setting of this version, and is ignored.${hint}`,
      refusal: isTypo(name, known) ? `${name}: expected the name of a setting.${hint}` : null,
    };
  });
}

/** Returns the unknown names in the environment of this process. */
export function findOwnUnknownSettings(): UnknownSetting[] {
  return findUnknownSettings(process.env);
}

/** `files`: the paths of the secrets that are in separate files. */
function settingProblems(texts: Texts, files: Environment): string[] {
  // Checks each setting separately, so that one wrong setting does not hide the next.
  return Object.entries(settingsSchema.properties).flatMap(([name, schema]) => {
    const text: string | undefined = texts[name as SettingName]; // `name` is a key of the schema's own properties.
    if (text === undefined || isValid(schema, text)) return [];
    const { description, writeOnly, hint } = schema as SettingSchema; // Every schema here is created by `setting`.
    const received = writeOnly === true ? `${text.length} characters that are not` : JSON.stringify(withoutUser(text));
    const file = files[name];
    const given = file === undefined ? name : `${name}${FILE_SUFFIX}`;
    const wanted = file === undefined ? description : `${description} in ${file}`;
    return [[`${given}: expected ${wanted}, got ${received}.`, hint(text)].join(' ').trim()];
  });
}

/** A separate function, because `Check` would narrow the text to the schema's unknown type. */
function isValid(schema: TSchema, text: string): boolean {
  return Check(schema, text);
}

function readTexts(environment: Environment): { texts: Texts; files: Environment; problems: string[] } {
  const merged: Record<string, string | undefined> = { ...withoutEmpty(readFile(environment)) };
  Object.assign(merged, withoutEmpty(environment));
  const problems = readSecretFiles(merged);
  const names = Object.keys(settingsSchema.properties);
  const texts = Object.fromEntries(names.flatMap((name) => (merged[name] === undefined ? [] : [[name, merged[name]]])));
  const files = Object.fromEntries([...SECRET_SETTINGS].map((name) => [name, merged[name + FILE_SUFFIX]]));
  return { texts, files, problems };
}

/** Adds the secrets that are in separate files. Returns one line for each that cannot be read. */
function readSecretFiles(merged: Record<string, string | undefined>): string[] {
  return [...SECRET_SETTINGS].flatMap((name) => {
    const fileName = name + FILE_SUFFIX;
    const path = merged[fileName];
    if (path === undefined) return [];
    if (merged[name] !== undefined) return [`${fileName}: expected either this or ${name}, got both.`];
    try {
      // Editors and `echo` end a file with a line break, which is not part of the secret.
      const secret = readSmallFile(path).replace(/[\r\n]+$/, '');
      if (secret === '') return [`${fileName}: expected a secret in ${path}, got an empty file.`];
      merged[name] = secret;
      return [];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [`${fileName}: expected the path of a readable file with the secret, got ${reason}.`];
    }
  });
}

function readFile(environment: Environment): Environment {
  const named = environment[CONFIG_NAME] || null;
  const path = named ?? join(dataDirOf(environment), 'millrace.env');
  try {
    return parseEnv(readSmallFile(path));
  } catch (error) {
    // If this user may not enter the data folder, or it is a file, the start refuses the folder itself.
    const isAbsent =
      hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || (hasCode(error, 'EACCES') && !canEnter(dirname(path)));
    if (isAbsent && named === null) return {};
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused('invalid', `${CONFIG_NAME}: could not read the settings file: ${reason}.`, { cause: error });
  }
}

function canEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function parseVolume(text: string): 'required' | 'off' | null {
  return text === 'required' || text === 'off' ? text : null;
}

function dataDirOf(texts: Environment): string {
  return resolve(texts.MILLRACE_DATA_DIR || DEFAULT_DATA_DIR);
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== undefined && text !== ''));
}

/** A URL that contains a user, although it must not, most likely contains a password. */
function withoutUser(text: string): string {
  return text.replace(/\/\/[^/@]*@/, '//***@');
}
