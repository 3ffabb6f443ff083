import { type Kysely, sql } from 'kysely';

/** Earlier versions skipped recordings of several periods when checking for missing rungs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update live_stream s set rungs_due_at = now() where s.state = 'ended' and 1 < (
      select count(*) from live_period p
      where p.library_id = s.library_id and p.media_id = s.id and not p.is_preview)`.execute(db);
}
