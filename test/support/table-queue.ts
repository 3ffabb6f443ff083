import { sql } from 'kysely';
import type { Db } from '../../src/catalog/db.ts';
import type { Queue } from '../../src/jobs/queue/define-job.ts';

export type SentJob = { name: string; payload: Record<string, unknown> };

/** A queue that writes each job to a table in the sender's transaction, so that tests can read committed jobs. */
export type TableQueue = Queue & { sent(): Promise<SentJob[]> };

export async function createTableQueue(db: Db): Promise<TableQueue> {
  await sql`create table if not exists sent_job
    (id bigint generated always as identity, name text not null, payload jsonb not null)`.execute(db);
  return {
    send: (job, payload) => async (tx) => {
      await sql`insert into sent_job (name, payload) values (${job.name}, ${JSON.stringify(payload)})`.execute(tx);
    },
    async sent() {
      return (await sql<SentJob>`select name, payload from sent_job order by id`.execute(db)).rows;
    },
  };
}
