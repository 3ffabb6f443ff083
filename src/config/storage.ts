import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseBaseUrl, setting } from './setting.ts';

/**
 * Where objects lie. S3 keys of access come from where its SDK looks for them (AWS_ACCESS_KEY_ID and
 * so on, or the machine's role). `keyPrefix` is empty or ends with `/`.
 */
export type StorageSettings =
  | { kind: 'file'; folder: string }
  | { kind: 's3'; bucket: string; keyPrefix: string; endpoint: string | null; region: string; forcePathStyle: boolean };

export const storageSchema = {
  MILLRACE_STORAGE: setting(
    'file:/absolute/folder or s3://bucket[/prefix][?endpoint=http(s)://...&region=...&forcePathStyle=true|false]',
    (text) => parseStorage(text),
  ),
};

export function storageSettings(
  texts: Partial<Record<keyof typeof storageSchema, string>>,
  dataDir: string,
): StorageSettings {
  return parseStorage(texts.MILLRACE_STORAGE ?? '') ?? { kind: 'file', folder: resolve(dataDir, 'objects') };
}

function parseStorage(text: string): StorageSettings | null {
  if (text.startsWith('file:')) return parseFolder(text);
  const url = URL.parse(text);
  return url?.protocol === 's3:' ? parseS3(url) : null;
}

function parseFolder(text: string): StorageSettings | null {
  if (text.startsWith('file://')) {
    const url = URL.parse(text);
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
    // Servers other than Amazon's rarely answer under bucket host names.
    forcePathStyle: style === null ? endpoint !== null : style === 'true',
  };
}
