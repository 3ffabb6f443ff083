import { type Kysely, sql } from 'kysely';

/** Time at which a recording is checked for missing rungs; null once that is done. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_stream add column rungs_due_at timestamptz`.execute(db);
  await sql`create index live_stream_rungs_due on live_stream (rungs_due_at) where rungs_due_at is not null`.execute(
    db,
  );
}
