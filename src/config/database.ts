import { parseUrl } from '../lib/parse-url.ts';
import { parseWholeNumber, setting } from './setting.ts';

/** Connection to the database for `pg`: the owner's server by URL, or our own by its socket folder. */
export type DatabaseConnection = { connectionString: string } | OwnConnection;

/** Our own server. `host` is the folder of its socket. */
export type OwnConnection = { host: string; port: number; user: string; database: string };

export type DatabaseSettings = {
  /** Null: the supervisor runs its own PostgreSQL under the data folder. */
  databaseUrl: string | null;
  /** Maximum number of connections of one role's pool; null: the default of the role. */
  databaseConnections: number | null;
};

export const databaseSchema = {
  MILLRACE_DATABASE_URL: setting('postgres://user:password@host:port/database', parseDatabaseUrl, { isSecret: true }),
  MILLRACE_DATABASE_CONNECTIONS: setting('a number of connections from 2 to 100', parseConnections),
};

export function databaseSettings(texts: Partial<Record<keyof typeof databaseSchema, string>>): DatabaseSettings {
  return {
    databaseUrl: parseDatabaseUrl(texts.MILLRACE_DATABASE_URL ?? ''),
    databaseConnections: parseConnections(texts.MILLRACE_DATABASE_CONNECTIONS ?? ''),
  };
}

function parseConnections(text: string): number | null {
  return parseWholeNumber(text, 2, 100);
}

function parseDatabaseUrl(text: string): string | null {
  const url = parseUrl(text);
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol) && url.pathname.length > 1 ? text : null;
}
