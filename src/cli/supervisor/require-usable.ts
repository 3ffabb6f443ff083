import { existsSync } from 'node:fs';
import type { Client } from 'pg';
import type { Settings } from '../../config/settings.ts';
import { Refused } from '../../lib/refused.ts';
import { secretKeyPath } from '../../service/first-start.ts';

type Found = { isNew: boolean; isReadOnly: boolean; mayCreate: boolean; user: string; name: string };

/**
 * Throws `Refused` if the operator's database lacks what the first migration needs, or if it is in use with a secret
 * key that this data folder does not have.
 */
export async function requireUsable(client: Client, { secretKey, dataDir }: Settings): Promise<void> {
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
