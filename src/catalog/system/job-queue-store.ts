import type pg from 'pg';

/** Schema of pg-boss, whose tables these queries use. */
export const JOB_SCHEMA = 'millrace_queue';

/** Allows one more attempt of a job. */
export async function allowRetry(pool: pg.Pool, { id, name }: { id: string; name: string }): Promise<void> {
  const text = `update ${JOB_SCHEMA}.job set retry_limit = retry_limit + 1 where name = $1 and id = $2`;
  await pool.query(text, [name, id]);
}

/** Returns those of the queues that have jobs to run now. The condition is that of pg-boss. */
export async function findDueQueues(pool: pg.Pool, queues: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select q.name from unnest($1::text[]) as q (name) where exists (select from ${JOB_SCHEMA}.job j
      where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= ${JOB_SCHEMA}.job_now())`,
    [queues],
  );
  return rows.map(({ name }) => name);
}
