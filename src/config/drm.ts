import { isAbsolute } from 'node:path';
import { parseUrl } from '../lib/parse-url.ts';
import { setting } from './setting.ts';

/** URL of an HTTP service, and the value of its Authorization header, or null. */
export type GuardedAddress = { url: string; authorization: string | null };

export type DrmSettings = {
  /** Scheme for videos that are protected from now on. Protected videos keep their scheme. */
  drmScheme: 'cbcs' | 'cenc';
  /** A key server with SPEKE v2, and the systems to request; null uses our own keys. */
  keyServer: (GuardedAddress & { systems: readonly DrmSystemName[] }) | null;
  /** Licence servers that receive players' challenges, by system. */
  licenceServers: Partial<Record<DrmSystemName, GuardedAddress>>;
  /** A file with FairPlay's application certificate (DER). */
  fairPlayCertificatePath: string | null;
};

type DrmSystemName = 'widevine' | 'playReady' | 'fairPlay';

const SYSTEMS: Readonly<Record<string, DrmSystemName>> = {
  widevine: 'widevine',
  playready: 'playReady',
  fairplay: 'fairPlay',
};

const address = setting('an http:// or https:// URL', parseAddress);
const header = setting('the value of an Authorization header', parseHeader, { isSecret: true });

export const drmSchema = {
  MILLRACE_DRM_SCHEME: setting('cbcs or cenc', parseScheme),
  MILLRACE_DRM_KEY_SERVER_URL: address,
  MILLRACE_DRM_KEY_SERVER_AUTHORIZATION: header,
  MILLRACE_DRM_SYSTEMS: setting('some of widevine, playready and fairplay, joined by commas', parseSystems),
  MILLRACE_WIDEVINE_LICENSE_URL: address,
  MILLRACE_PLAYREADY_LICENSE_URL: address,
  MILLRACE_FAIRPLAY_LICENSE_URL: address,
  MILLRACE_LICENSE_AUTHORIZATION: header,
  MILLRACE_FAIRPLAY_CERTIFICATE: setting('an absolute path of a file', (text) => (isAbsolute(text) ? text : null)),
};

export function drmSettings(texts: Partial<Record<keyof typeof drmSchema, string>>): DrmSettings {
  const url = texts.MILLRACE_DRM_KEY_SERVER_URL ?? null;
  const authorization = texts.MILLRACE_DRM_KEY_SERVER_AUTHORIZATION ?? null;
  const systems = parseSystems(texts.MILLRACE_DRM_SYSTEMS ?? '') ?? Object.values(SYSTEMS);
  const licences = texts.MILLRACE_LICENSE_AUTHORIZATION ?? null;
  const server = (text: string | undefined) => (text === undefined ? null : { url: text, authorization: licences });
  const [widevine, playReady, fairPlay] = [
    server(texts.MILLRACE_WIDEVINE_LICENSE_URL),
    server(texts.MILLRACE_PLAYREADY_LICENSE_URL),
    server(texts.MILLRACE_FAIRPLAY_LICENSE_URL),
  ];
  return {
    drmScheme: parseScheme(texts.MILLRACE_DRM_SCHEME ?? '') ?? 'cbcs',
    keyServer: url === null ? null : { url, authorization, systems },
    licenceServers: {
      ...(widevine !== null && { widevine }),
      ...(playReady !== null && { playReady }),
      ...(fairPlay !== null && { fairPlay }),
    },
    fairPlayCertificatePath: texts.MILLRACE_FAIRPLAY_CERTIFICATE ?? null,
  };
}

function parseScheme(text: string): DrmSettings['drmScheme'] | null {
  return text === 'cbcs' || text === 'cenc' ? text : null;
}

function parseSystems(text: string): DrmSystemName[] | null {
  const found = text.split(',').map((name) => SYSTEMS[name.trim().toLowerCase()]);
  const known = found.filter((name) => name !== undefined);
  return known.length === found.length ? known : null;
}

function parseAddress(text: string): string | null {
  const url = parseUrl(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' ? url.href : null;
}

function parseHeader(text: string): string | null {
  return /^[\x20-\x7e]{1,4096}$/.test(text) ? text : null;
}
