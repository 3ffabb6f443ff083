import { type Kysely, sql } from 'kysely';

/**
 * Adds the text of former read-only keys, sealed, because they still sign webhooks. Older versions run on this schema.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table access_key add column signing_key_sealed bytea`.execute(db);
}
