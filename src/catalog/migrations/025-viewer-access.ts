import { type Kysely, sql } from 'kysely';

/**
 * Adds the secret that signs questions about viewers. Older edges ignore the rule and admit every viewer, so all edges
 * are upgraded before it is switched on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table library add column viewer_secret_sealed bytea`.execute(db);
}
