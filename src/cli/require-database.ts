import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { isDatabaseAway } from '../catalog/is-database-away.ts';
import type { Settings } from '../config/settings.ts';
import { Refused } from '../lib/refused.ts';
import { secretKeyPath } from '../service/first-start.ts';
import { explainStart } from './explain-start.ts';
import { withDatabase } from './supervisor/reach-database.ts';

/** Time for a server that is starting, in ms. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 500;

/**
 * Throws `Refused` if the operator's database does not accept connections, or if this data folder cannot be set up for
 * it. Returns early if `stop` aborts. Must be called before the first start creates anything.
 */
export async function requireDatabase(settings: Settings, stop: AbortSignal): Promise<void> {
  const { databaseUrl: connectionString } = settings;
  if (connectionString === null) return;
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      await withDatabase({ connectionString }, (client) => requireUsable(client, settings));
      break;
    } catch (error) {
      if (stop.aborted) return;
      if (!isDatabaseAway(error) || performance.now() > deadlineMs) throw explainStart(error, settings);
    }
    await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return;
  }
  if (!existsSync(settings.dataDir)) await requireSchema(connectionString);
}

type Found = { isNew: boolean; isReadOnly: boolean; mayCreate: boolean; user: string; name: string };

/** Checks what the first migration and a new data folder need. */
async function requireUsable(client: Client, { secretKey, dataDir }: Settings): Promise<void> {
  const { rows } = await client.query<Found>(`
    select to_regclass('library') is null as "isNew", current_setting('transaction_read_only') = 'on' as "isReadOnly",
      coalesce(has_schema_privilege(current_schema(), 'create'), false)
        and has_database_privilege(current_database(), 'create') as "mayCreate",
      current_user as "user", current_database() as "name"`);
  const [found] = rows;
  if (found === undefined) throw new Error('Expected a row that describes the database, got none.');
  if (found.isNew) requireNewUsable(found, client);
  else if (secretKey === null && !existsSync(secretKeyPath(dataDir))) await requireNoSecrets(client, dataDir);
}

function requireNewUsable({ isReadOnly, mayCreate, user, name }: Found, client: Client): void {
  if (isReadOnly)
    throw new Refused(
      'unavailable',
      'MILLRACE_DATABASE_URL: expected a database that can be written, got a read-only one.',
    );
  if (mayCreate) return;
  const [database, owner] = [name, user].map((text) => client.escapeIdentifier(text));
  const message =
    `MILLRACE_DATABASE_URL: expected a user that may create tables and schemas, got ${owner}. As a superuser run: ` +
    `alter database ${database} owner to ${owner}`;
  throw new Refused('invalid', message);
}

/** Throws `Refused` if the database has secrets, because a new key could not open them. */
async function requireNoSecrets(client: Client, dataDir: string): Promise<void> {
  const { rows } = await client.query<{ isUsed: boolean }>('select exists (select from library) as "isUsed"');
  if (rows[0]?.isUsed !== true) return;
  const message =
    `MILLRACE_SECRET_KEY: expected the key with which this database was set up, got none, and ${dataDir} has no ` +
    'secret.key. All machines need the key of the first one, in base64.';
  throw new Refused('invalid', message);
}

/** Throws `Refused` for the schema of a version that this one cannot use. */
async function requireSchema(connectionString: string): Promise<void> {
  const [{ openDatabase }, { hasKnownSchema }] = await Promise.all([
    import('../catalog/db.ts'),
    import('../catalog/migrate-store.ts'),
  ]);
  const database = openDatabase({ connectionString, max: 1 }, () => undefined);
  try {
    await hasKnownSchema(database.db);
  } finally {
    await database.close();
  }
}
