import { type Kysely, sql } from 'kysely';

/** When it is to be seen which rungs a recording lacks; null once that was done. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_stream add column rungs_due_at timestamptz`.execute(db);
  await sql`create index live_stream_rungs_due on live_stream (rungs_due_at) where rungs_due_at is not null`.execute(
    db,
  );
}
