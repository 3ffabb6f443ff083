import { type Kysely, sql } from 'kysely';

/**
 * Lets a feed keep its texts and its token while it is off. Null means what older versions store: a feed with a row is
 * on, and public if it has no token. Until older processes have ended, they still serve a feed that is turned off.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table collection_feed add column if not exists access text`.execute(db);
  await sql`alter table collection_feed alter column access drop not null`.execute(db);
}
