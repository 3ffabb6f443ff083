import { type Kysely, sql } from 'kysely';

/** Adds the view that autoscalers read. Older versions run on this schema. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create view millrace_queue_depth as
      select kind, count(*) filter (where state = 'waiting') as waiting,
        count(*) filter (where state = 'running') as running, count(*) filter (where state = 'failed') as failed,
        coalesce(extract(epoch from now() - min(created_at) filter (where state = 'waiting')), 0)::float8
          as oldest_age_sec
      from encode_task where state <> 'done' group by kind`.execute(db);
}
