import { type Kysely, sql } from 'kysely';

/** Before this version recordings of several periods were passed over when it was seen which rungs are missing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update live_stream s set rungs_due_at = now() where s.state = 'ended' and 1 < (
      select count(*) from live_period p
      where p.library_id = s.library_id and p.media_id = s.id and not p.is_preview)`.execute(db);
}
