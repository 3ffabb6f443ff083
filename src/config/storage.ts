import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseUrl } from '../lib/parse-url.ts';
import { Refused } from '../lib/refused.ts';
import { parseAbsolutePath, parseBaseUrl, parseWholeNumber, setting } from './setting.ts';

/**
 * Location of the objects. S3 access keys come from the SDK's usual sources (AWS_ACCESS_KEY_ID and so on, or the
 * machine's role). `keyPrefix` is empty or ends with `/`.
 */
export type StorageSettings =
  | { kind: 'file'; folder: string }
  | { kind: 's3'; bucket: string; keyPrefix: string; endpoint: string | null; region: string; forcePathStyle: boolean };

const GRAMMAR =
  'file:/absolute/folder or s3://bucket[/prefix][?endpoint=http(s)://...&region=...&forcePathStyle=true|false]';

export const storageSchema = {
  MILLRACE_STORAGE: setting(GRAMMAR, (text) => parseStorage(text)),
  MILLRACE_STORAGE_FROM: setting(GRAMMAR, (text) => parseStorage(text)),
  MILLRACE_QUARANTINE_HOURS: setting('a number of hours from 0 to 8760', parseHours),
  MILLRACE_SCRUB_RATE: setting('a number of MiB a second from 0 to 10000', parseRate),
  MILLRACE_EXPORT_DIR: setting('the absolute path of a folder', parseAbsolutePath),
};

const QUARANTINE_HOURS = 24;
const SCRUB_RATE = 8;
const MIB = 2 ** 20;

/** Returns the time for which orphans are kept before they are deleted, in seconds. */
export function quarantineSecSetting(texts: Partial<Record<keyof typeof storageSchema, string>>): number {
  return (parseHours(texts.MILLRACE_QUARANTINE_HOURS ?? '') ?? QUARANTINE_HOURS) * 3600;
}

/** Returns the rate at which each worker reads to find damage, in bytes per second; 0 disables it. */
export function scrubRateSetting(texts: Partial<Record<keyof typeof storageSchema, string>>): number {
  return (parseRate(texts.MILLRACE_SCRUB_RATE ?? '') ?? SCRUB_RATE) * MIB;
}

/** Returns the folder below which exports may be written, or null if exports to folders are turned off. */
export function exportFolderSetting(texts: Partial<Record<keyof typeof storageSchema, string>>): string | null {
  return parseAbsolutePath(texts.MILLRACE_EXPORT_DIR ?? '');
}

function parseRate(text: string): number | null {
  return parseWholeNumber(text, 0, 10_000);
}

function parseHours(text: string): number | null {
  return parseWholeNumber(text, 0, 8760);
}

export function storageSettings(
  texts: Partial<Record<keyof typeof storageSchema, string>>,
  dataDir: string,
): StorageSettings {
  return parseStorage(texts.MILLRACE_STORAGE ?? '') ?? { kind: 'file', folder: resolve(dataDir, 'objects') };
}

/**
 * Returns the store whose objects move into `storage`, or null if there is none. Throws `Refused` if one of the two
 * locations contains the other, because objects would be mistaken for their own copies.
 */
export function storageFromSettings(
  texts: Partial<Record<keyof typeof storageSchema, string>>,
  storage: StorageSettings,
): StorageSettings | null {
  const from = parseStorage(texts.MILLRACE_STORAGE_FROM ?? '');
  if (from === null || !overlaps(from, storage)) return from;
  const received = JSON.stringify(texts.MILLRACE_STORAGE_FROM);
  throw new Refused(
    'invalid',
    'MILLRACE_STORAGE_FROM: expected a location that differs from MILLRACE_STORAGE, with neither inside the other, ' +
      `got ${received}.`,
  );
}

function overlaps(one: StorageSettings, other: StorageSettings): boolean {
  const [a, b] = [placeOf(one), placeOf(other)];
  return a.startsWith(b) || b.startsWith(a);
}

function placeOf(storage: StorageSettings): string {
  if (storage.kind === 'file') return storage.folder.endsWith('/') ? storage.folder : `${storage.folder}/`;
  return `s3 ${storage.endpoint ?? storage.region} ${storage.bucket}/${storage.keyPrefix}`;
}

function parseStorage(text: string): StorageSettings | null {
  if (text.startsWith('file:')) return parseFolder(text);
  const url = parseUrl(text);
  return url?.protocol === 's3:' ? parseS3(url) : null;
}

function parseFolder(text: string): StorageSettings | null {
  if (text.startsWith('file://')) {
    const url = parseUrl(text);
    return url === null || url.host !== '' ? null : { kind: 'file', folder: fileURLToPath(url) };
  }
  const folder = text.slice('file:'.length);
  return isAbsolute(folder) ? { kind: 'file', folder: resolve(folder) } : null;
}

function parseS3(url: URL): StorageSettings | null {
  const known = ['endpoint', 'region', 'forcePathStyle'];
  const style = url.searchParams.get('forcePathStyle');
  const endpointText = url.searchParams.get('endpoint');
  const endpoint = endpointText === null ? null : parseBaseUrl(endpointText);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) return null;
  if ([...url.searchParams.keys()].some((key) => !known.includes(key))) return null;
  if (endpointText !== null && endpoint === null) return null;
  if (style !== null && style !== 'true' && style !== 'false') return null;
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 's3',
    bucket: url.host,
    keyPrefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
    // Servers other than Amazon's rarely support bucket host names.
    forcePathStyle: style === null ? endpoint !== null : style === 'true',
  };
}
