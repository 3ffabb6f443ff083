import { type Kysely, sql } from 'kysely';

/**
 * Adds the request that caused an encode task and a webhook event, so that log lines of workers name it, and lets
 * `tend_encode_tasks` return the tasks that it takes from dead workers. Older versions run on this schema.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table encode_task add column request_id text`.execute(db);
  await sql`alter table webhook_event add column request_id text`.execute(db);
  await sql`drop function tend_encode_tasks(double precision)`.execute(db);
  await sql`
    create function tend_encode_tasks(steady_sec double precision)
      returns table (lost_library bigint, lost_media uuid, lost_task uuid, lost_kind text, lost_attempt bigint,
        lost_owner text, lost_request text)
      language plpgsql as $$
    declare steady timestamptz;
    begin
      update encode_clock set seen_at = clock_timestamp(), steady_since =
        case when seen_at < clock_timestamp() - interval '10 seconds' then clock_timestamp() else steady_since end
      where id = (select id from encode_clock where seen_at < clock_timestamp() - interval '1 second'
        for update skip locked)
      returning steady_since into steady;
      if not found then return; end if;
      update encode_task set is_ready = true where id in (
        select id from encode_task where state = 'waiting' and not is_ready and ready_at <= now()
        order by ready_at limit 1000 for update skip locked);
      if steady <= clock_timestamp() - make_interval(secs => steady_sec) then
        return query
          with lost as (select w.id, w.owner from encode_task w where w.state = 'running' and w.lease_until < now()
            limit 1000 for update skip locked)
          update encode_task t set state = 'waiting', is_ready = true, deaths = deaths + 1, owner = null,
            lease_until = null, reason = 'waiting for an encoder slot'
          from lost where t.id = lost.id
          returning t.library_id, t.media_id, t.id, t.kind::text, t.attempt::bigint, lost.owner, t.request_id;
      end if;
      delete from encode_idle where since < now() - interval '1 minute';
    end $$`.execute(db);
}
