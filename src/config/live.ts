import { parseHost, parsePort, setting } from './setting.ts';

export type LiveSettings = {
  /** Ports; 0 means any free one. */
  rtmpPort: number;
  srtPort: number;
  /** What callers by SRT that name a stream by its key must encrypt with; null: nothing is encrypted. */
  srtPassphrase: string | null;
  /** Where this machine's ingest stands, as streams show it. */
  region: string;
  /** Under which host publishers reach ingest; null: by the address that is listened on. */
  ingestHost: string | null;
  /** Under which host edges reach the feeds of ingest; null: by the address that is listened on. */
  feedHost: string | null;
};

const port = setting('a port from 0 to 65535 (0: any free one)', parsePort);
const host = setting('an IP address or host name', parseHost);

export const liveSchema = {
  MILLRACE_RTMP_PORT: port,
  MILLRACE_SRT_PORT: port,
  MILLRACE_SRT_PASSPHRASE: setting('10 to 79 printable ASCII characters', parsePassphrase, true),
  MILLRACE_REGION: setting('a name of letters, digits and hyphens', parseRegion),
  MILLRACE_INGEST_HOST: host,
  MILLRACE_FEED_HOST: host,
};

export function liveSettings(texts: Partial<Record<keyof typeof liveSchema, string>>): LiveSettings {
  return {
    rtmpPort: parsePort(texts.MILLRACE_RTMP_PORT ?? '') ?? 1935,
    srtPort: parsePort(texts.MILLRACE_SRT_PORT ?? '') ?? 8890,
    srtPassphrase: texts.MILLRACE_SRT_PASSPHRASE ?? null,
    region: texts.MILLRACE_REGION ?? 'local',
    ingestHost: texts.MILLRACE_INGEST_HOST ?? null,
    feedHost: texts.MILLRACE_FEED_HOST ?? null,
  };
}

function parsePassphrase(text: string): string | null {
  return /^[\x20-\x7e]{10,79}$/.test(text) ? text : null;
}

function parseRegion(text: string): string | null {
  return /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : null;
}
