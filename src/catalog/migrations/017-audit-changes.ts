import { type Kysely, sql } from 'kysely';

/** Adds the changed fields to the lines of the audit log. Older versions leave them null. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_line add column changes jsonb`.execute(db);
}
