import { sql } from 'kysely';
import type { Db } from '../../src/catalog/db.ts';

/** A waiting job, with its delay in seconds. */
type SentJob = { payload: unknown; delay: number };

/** Returns the jobs of a kind that wait in the queue, in the order of their starts. */
export async function sentJobs(db: Db, name: string): Promise<SentJob[]> {
  const { rows } = await sql<SentJob>`
    select data->'payload' as payload, round(extract(epoch from start_after - created_on))::int as delay
    from millrace_queue.job where data->>'job' = ${name} order by start_after, created_on`.execute(db);
  return rows;
}
