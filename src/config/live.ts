import { parseAbsolutePath, parseHost, parsePort, parseSwitch, setting } from './setting.ts';

export type LiveSettings = {
  /** Ports; 0 selects any free one. */
  rtmpPort: number;
  srtPort: number;
  /** Passphrase for SRT callers that name a stream by its key; null: not encrypted. */
  srtPassphrase: string | null;
  whipPort: number;
  /** UDP port for the media of all WHIP publishers; 0: any free port for each. */
  whipUdpPort: number;
  /** STUN servers for WHIP publishers and this machine. */
  iceServers: readonly string[];
  /** RTMP with TLS; only with a certificate. */
  rtmpsPort: number;
  /** Whether RTMP connections of trusted proxies begin with a header of the PROXY protocol v2. */
  takesRtmpProxyHeaders: boolean;
  /** PEM files: the certificate chain, and its key. */
  ingestCertificate: { certificatePath: string; keyPath: string } | null;
  /** Region of this machine's ingest, stored with its process. */
  region: string;
  /** Host under which publishers reach ingest; null: the listening address. */
  ingestHost: string | null;
  /** Host under which edges reach the feeds of ingest; null: the listening address. */
  feedHost: string | null;
};

const port = setting('a port from 0 to 65535 (0: any free one)', parsePort);
const host = setting('an IP address or host name', parseHost);

export const liveSchema = {
  MILLRACE_RTMP_PORT: port,
  MILLRACE_SRT_PORT: port,
  MILLRACE_SRT_PASSPHRASE: setting('10 to 79 printable ASCII characters', parsePassphrase, { isSecret: true }),
  MILLRACE_WHIP_PORT: port,
  MILLRACE_WHIP_UDP_PORT: port,
  MILLRACE_ICE_SERVERS: setting('URLs such as stun:stun.example:3478 joined by commas', parseIceServers),
  MILLRACE_RTMPS_PORT: port,
  MILLRACE_RTMP_PROXY_PROTOCOL: setting('on or off', parseSwitch),
  MILLRACE_INGEST_CERTIFICATE: setting('an absolute path of a file', parseAbsolutePath),
  MILLRACE_INGEST_CERTIFICATE_KEY: setting('an absolute path of a file', parseAbsolutePath),
  MILLRACE_REGION: setting('a name of letters, digits and hyphens', parseRegion),
  MILLRACE_INGEST_HOST: host,
  MILLRACE_FEED_HOST: host,
};

export function liveSettings(texts: Partial<Record<keyof typeof liveSchema, string>>): LiveSettings {
  return {
    rtmpPort: parsePort(texts.MILLRACE_RTMP_PORT ?? '') ?? 1935,
    srtPort: parsePort(texts.MILLRACE_SRT_PORT ?? '') ?? 8890,
    srtPassphrase: texts.MILLRACE_SRT_PASSPHRASE ?? null,
    whipPort: parsePort(texts.MILLRACE_WHIP_PORT ?? '') ?? 8891,
    whipUdpPort: parsePort(texts.MILLRACE_WHIP_UDP_PORT ?? '') ?? 0,
    iceServers: parseIceServers(texts.MILLRACE_ICE_SERVERS ?? '') ?? [],
    rtmpsPort: parsePort(texts.MILLRACE_RTMPS_PORT ?? '') ?? 1936,
    takesRtmpProxyHeaders: parseSwitch(texts.MILLRACE_RTMP_PROXY_PROTOCOL ?? '') ?? false,
    ingestCertificate: certificateOf(texts.MILLRACE_INGEST_CERTIFICATE, texts.MILLRACE_INGEST_CERTIFICATE_KEY),
    region: texts.MILLRACE_REGION ?? 'local',
    ingestHost: texts.MILLRACE_INGEST_HOST ?? null,
    feedHost: texts.MILLRACE_FEED_HOST ?? null,
  };
}

/** Returns one line per setting that needs another one. */
export function liveProblems(texts: Readonly<Record<string, string>>): string[] {
  const isMissing = texts.MILLRACE_RTMP_PROXY_PROTOCOL === 'on' && texts.MILLRACE_TRUSTED_PROXIES === undefined;
  return isMissing
    ? ['MILLRACE_RTMP_PROXY_PROTOCOL: expected the addresses of the proxies in MILLRACE_TRUSTED_PROXIES, got none.']
    : [];
}

function parsePassphrase(text: string): string | null {
  return /^[\x20-\x7e]{10,79}$/.test(text) ? text : null;
}

function parseIceServers(text: string): string[] | null {
  const servers = text.split(',').map((server) => server.trim());
  return servers.every((server) => /^stuns?:[A-Za-z0-9.-]+(:\d{1,5})?$/.test(server)) ? servers : null;
}

/** The key may be in the same file. */
function certificateOf(certificatePath: string | undefined, keyPath: string | undefined) {
  return certificatePath === undefined ? null : { certificatePath, keyPath: keyPath ?? certificatePath };
}

function parseRegion(text: string): string | null {
  return /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : null;
}
