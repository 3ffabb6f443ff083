import { parseArgs } from 'node:util';
import { ApiError, Millrace } from '../../../sdk/src/millrace.ts';
import { readOwnSettings } from '../../config/settings.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { suggestName } from '../../lib/suggest-name.ts';
import { baseAddresses } from '../../service/first-start.ts';
import { readPrivate } from './private-file.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** Makes the service refuse unknown names in all operations, because people mistype them. */
const STRICT = { prefer: 'handling=strict' };

/** Options of all verbs, with their help texts. */
export const options = {
  url: { ...text, help: 'URL of the service' },
  key: { ...text, help: 'key of a library or of the account' },
  library: { ...text, help: 'id of the library, 1 by default' },
  profile: { ...text, help: 'profile saved by `login`, `default` by default' },
  json: { ...flag, help: 'print one JSON object per line' },
  limit: { ...text, help: 'maximum number of lines of a list' },
  file: { ...text, help: 'file to send as the request body, - for stdin' },
  title: { ...text, help: 'title of the new video, by default the file name without extension' },
  collection: { ...text, help: 'id of the collection for uploads' },
  visibility: { ...text, help: 'visibility of uploads: `public` (default), `unlisted` or `private`' },
  expires: { ...text, help: 'lifetime of a signed URL in seconds' },
  wait: {
    ...text,
    help: 'after an upload, wait until the video is `playable` (default) or `finished` (all renditions)',
  },
  duplicates: { ...flag, help: 'also upload files of a folder that its collection already has' },
  'retry-failed': { ...flag, help: 'also send files again that could not be encoded before, to the same videos' },
  settings: { ...flag, help: 'restore the settings of an import also into a library that has videos' },
  'no-settings': { ...flag, help: 'do not restore the settings of an import' },
  'no-wait': { ...flag, help: 'exit after the upload instead of waiting until the video plays' },
  help: { ...flag, help: 'print this help' },
} as const;

/** Profile of commands without `--profile`. */
export const DEFAULT_PROFILE = 'default';

export type Profile = { url: string; key: string; library: number };
export type Context = Profile & {
  /** Description of the source of the key, or null without a key. */
  keySource: string | null;
  millrace: Millrace;
  values: ReturnType<typeof readArguments>['values'];
  takes: readonly string[];
  pairs: Record<string, unknown>;
};

/** Parses arguments. Throws `Refused` for an unknown option, with the most similar one. */
export function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!hasCode(error, 'ERR_PARSE_ARGS_UNKNOWN_OPTION')) throw error;
    const known = Object.keys(options);
    const names = args.flatMap((word) => /^--([^=]+)/.exec(word)?.[1] ?? []);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) throw error;
    const hint = suggestName(unknown, known).replace('mean ', 'mean --');
    throw new Refused('invalid', `there is no option --${unknown}.${hint} Run it with --help for a list.`, {
      cause: error,
    });
  }
}

/**
 * Finds the URL and the key, in this order: from options, from the profile, or from the settings of a service on this
 * machine. `isOptional` is true if the profile need not exist.
 */
export async function openContext(args: readonly string[], { isOptional }: { isOptional: boolean }): Promise<Context> {
  const { values, positionals } = readArguments(args);
  const profile = (await readPrivate<Profile>('profiles.json'))[values.profile ?? DEFAULT_PROFILE];
  if (profile === undefined && values.profile !== undefined && !isOptional) {
    throw new Refused(
      'invalid',
      `there is no profile ${values.profile}. Create it with millrace login --profile ${values.profile}`,
    );
  }
  const settings = readOwnSettings();
  const url = values.url ?? profile?.url ?? baseAddresses(settings, { api: settings.port }).publicUrl;
  requireHttp(url);
  if (!isOptional) requireKeyOf(values, profile);
  const [key, keySource] = chooseKey(values, profile, settings.libraryKey);
  const library = Number(values.library ?? profile?.library ?? 1);
  if (!Number.isInteger(library)) throw new Refused('invalid', `expected the id of a library, got ${values.library}.`);
  const isPair = (word: string) => /^[A-Za-z]\w*:?=/.test(word);
  return {
    url: url.replace(/\/+$/, ''),
    key,
    keySource,
    library,
    millrace: new Millrace({ url, key: key === '' ? null : key, headers: STRICT }),
    values,
    takes: positionals.filter((word) => !isPair(word)),
    pairs: Object.fromEntries(positionals.filter(isPair).map(readPair)),
  };
}

function requireHttp(url: string): void {
  if (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url)) return;
  const meant = `http://${url.replace(/^[a-z]*:?\/\/+/i, '')}`;
  const hint = URL.canParse(meant) ? ` Did you mean ${meant}?` : '';
  throw new Refused('invalid', `expected --url to begin with http:// or https://, got ${url}.${hint}`);
}

/** Throws `Refused` before a stored key is sent to another service than its own. */
function requireKeyOf({ url, key, profile: name }: Context['values'], profile: Profile | undefined): void {
  if (url === undefined || key !== undefined || name !== undefined || profile === undefined) return;
  if (url.replace(/\/+$/, '') === profile.url) return;
  const advice = `Pass --key or --profile, or run millrace login --url ${url} --profile NAME`;
  throw new Refused('invalid', `the stored key is for ${profile.url}, not for ${url}. ${advice}`);
}

function chooseKey(
  values: { key?: string | undefined; profile?: string | undefined },
  profile: Profile | undefined,
  libraryKey: string | null,
): [key: string, source: string | null] {
  if (values.key !== undefined) return [values.key, '--key'];
  if (profile !== undefined) return [profile.key, `profile ${values.profile ?? DEFAULT_PROFILE}`];
  return libraryKey === null ? ['', null] : [libraryKey, 'MILLRACE_LIBRARY_KEY'];
}

/**
 * Returns the key that signs uploads: the given key if it is a library key, or the library key that is read with an
 * account key.
 */
export async function libraryKeyOf({ millrace, library, key }: Context): Promise<string> {
  try {
    return (await millrace.call('getLibrary', { id: library })).ApiKey ?? key;
  } catch (error) {
    if (error instanceof ApiError && [401, 403].includes(error.status)) return key;
    throw error;
  }
}

/** Parses `name=text`, where true, false and null are literals, or `name:=json`. */
function readPair(word: string): [string, unknown] {
  const [, name = '', colon, value = ''] = /^(\w+)(:?)=(.*)$/s.exec(word) ?? [];
  if (colon !== ':') return [name, ['true', 'false', 'null'].includes(value) ? JSON.parse(value) : value];
  try {
    return [name, JSON.parse(value)];
  } catch (cause) {
    throw new Refused('invalid', `expected JSON after ${name}:=, got ${value}.`, { cause });
  }
}
