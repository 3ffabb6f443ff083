import { sql } from 'kysely';
import type { WorkerFixture } from './worker-fixture.ts';

/**
 * Makes the first `event` on a table fail like the loser of a deadlock. Returns a function that counts the events so
 * far.
 */
export async function loseFirst(
  { database: { db } }: WorkerFixture,
  table: string,
  event: string,
  when = 'true',
): Promise<() => Promise<number>> {
  const name = `lost_${table}_${event}`;
  await sql
    .raw(`
      create sequence ${name} minvalue 0 start 0;
      create function ${name}() returns trigger language plpgsql as $$ begin
        if nextval('${name}') = 0 then raise 'deadlock detected' using errcode = 'deadlock_detected'; end if;
        return coalesce(new, old);
      end $$;
      create trigger ${name} before ${event} on ${table} for each row when (${when}) execute function ${name}()`)
    .execute(db);
  return async () => {
    const { rows } = await sql.raw<{ n: number }>(`select last_value + is_called::int as n from ${name}`).execute(db);
    return rows[0]?.n ?? 0;
  };
}
