import { type Kysely, sql } from 'kysely';

/** Lets imports carry the settings of a library. Older versions import without them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table library_import add column restores_settings boolean, add column settings_report jsonb`.execute(
    db,
  );
}
