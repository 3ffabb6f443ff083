import { setting } from './setting.ts';

/** How `pg` reaches the database: an owner's server by address, or ours by its socket folder. */
export type DatabaseConnection = { connectionString: string } | OwnConnection;

/** Our own server: `host` is the folder of its socket. */
export type OwnConnection = { host: string; port: number; user: string; database: string };

export type DatabaseSettings = {
  /** Null: the supervisor runs a PostgreSQL of its own under the data folder. */
  databaseUrl: string | null;
};

export const databaseSchema = {
  MILLRACE_DATABASE_URL: setting('postgres://user:password@host:port/database', parseDatabaseUrl, true),
};

export function databaseSettings(texts: Partial<Record<keyof typeof databaseSchema, string>>): DatabaseSettings {
  return { databaseUrl: parseDatabaseUrl(texts.MILLRACE_DATABASE_URL ?? '') };
}

function parseDatabaseUrl(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && ['postgres:', 'postgresql:'].includes(url.protocol) && url.pathname.length > 1 ? text : null;
}
