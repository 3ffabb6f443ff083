import { type Kysely, sql } from 'kysely';

/** Marks recordings of several periods, so that workers make their MP4 files. Older versions ignore the mark. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update live_stream s set rungs_due_at = 'infinity' where s.state = 'ended' and s.rungs_due_at is null
      and (select count(*) from live_period p where p.library_id = s.library_id and p.media_id = s.id
        and not p.is_preview) > 1`.execute(db);
}
