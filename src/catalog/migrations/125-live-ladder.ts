import { type Kysely, sql } from 'kysely';

/** Whether the rungs of a live stream are encoded, as its owner reports it each second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_lease add column ladder jsonb`.execute(db);
}
